/**
 * Bytes a stored message, against Parquet of the same columns (sorted, zstd, the smaller of its two
 * page versions); and how fast blocks are made and read.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeBlock } from '../src/main/core/store/blocks/encode.ts'
import { openBlock } from '../src/main/core/store/blocks/open.ts'
import type { MessageColumns } from '../src/main/core/store/types/messages.ts'
import { loadDuck, openDuck, type DuckColumn } from './duck.ts'
import { row, seconds, type Row } from './row.ts'
import { messageRuns, type TextStyle } from './ticks.ts'

const FIELDS = { 'crypto/XT': ['p', 's'], 'crypto/XQ': ['bp', 'ap'] } as const

/** Sizes and speeds over `count` messages of each feed. */
export async function benchBlocks(count = 1_000_000): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const feed of ['crypto/XT', 'crypto/XQ'] as const) {
    let parquet = NaN
    for (const style of ['javascript', 'python'] as const) {
      const runs = [...messageRuns(feed, count, style)]
      const blocks = runs.map((run) => encodeBlock(feed, run))
      const bytes = blocks.reduce((sum, block) => sum + block.length, 0) / count
      // both styles decode to the same columns: one peer for both
      if (Number.isNaN(parquet)) parquet = (await parquetBytes(feed, runs, blocks)) / count
      rows.push(
        row({
          name: `bytes a stored ${feed} message, ${style} text back to the byte`,
          unit: 'B',
          ours: bytes,
          peer: parquet,
          peerName: 'Parquet with zstd, decoded columns only',
          goal: { is: 'at most', ratio: 1 },
        }),
      )
      rows.push(...(await speeds(feed, style, runs, blocks)))
    }
  }
  return rows
}

async function parquetBytes(
  feed: 'crypto/XT' | 'crypto/XQ',
  runs: readonly MessageColumns[],
  blocks: readonly Uint8Array[],
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-bench-'))
  const duck = await openDuck()
  try {
    const batches = function* (): Generator<readonly DuckColumn[]> {
      for (const [i, run] of runs.entries()) {
        const block = openBlock(blocks[i])
        yield [
          { name: 'seq', type: 'BIGINT', values: run.seq },
          { name: 'recv_ms', type: 'BIGINT', values: run.recvMs },
          { name: 'mono_ns', type: 'BIGINT', values: run.monoNs },
          { name: 'event_ms', type: 'BIGINT', values: block.eventMs },
          ...FIELDS[feed].map((name): DuckColumn => ({ name, type: 'DOUBLE', values: block.column(name) })),
        ]
      }
    }
    await loadDuck(duck.connection, 'ticks', batches())
    let least = Infinity
    for (const version of ['v1', 'v2']) {
      const file = join(folder, `${version}.parquet`)
      await duck.connection.run(
        `COPY (SELECT * FROM ticks ORDER BY seq) TO '${file}' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION ${version})`,
      )
      least = Math.min(least, (await stat(file)).size)
    }
    return least
  } finally {
    duck.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Rates beside the plainest way to read the same text: JSON.parse of every message. */
async function speeds(
  feed: 'crypto/XT' | 'crypto/XQ',
  style: TextStyle,
  runs: readonly MessageColumns[],
  blocks: readonly Uint8Array[],
): Promise<readonly Row[]> {
  const count = runs.reduce((sum, run) => sum + run.count, 0)
  const decoder = new TextDecoder()
  const rate = async (work: () => void): Promise<number> => count / (await seconds(3, work)) / 1e6
  const parse = await rate(() => {
    for (const { bytes, offsets, count: n } of runs) {
      for (let i = 0; i < n; i++) JSON.parse(decoder.decode(bytes.subarray(offsets[i], offsets[i + 1])))
    }
  })
  const encode = await rate(() => {
    for (const run of runs) encodeBlock(feed, run, { prove: false })
  })
  const proven = await rate(() => {
    for (const run of runs) encodeBlock(feed, run)
  })
  const columns = await rate(() => {
    for (const block of blocks) {
      const open = openBlock(block)
      void [open.seq, open.recvMs, open.eventMs, open.flags, ...FIELDS[feed].map((key) => open.column(key))]
    }
  })
  const texts = await rate(() => {
    for (const block of blocks) openBlock(block).messages()
  })
  const line = (name: string, ours: number): Row =>
    row({
      name: `${feed} ${style}: ${name}`,
      unit: 'M messages/s',
      ours,
      peer: parse,
      peerName: 'JSON.parse of the text',
      goal: null,
    })
  return [
    line('sealing from text', encode),
    line('sealing from text, proven', proven),
    line('columns out of blocks', columns),
    line('text out of blocks', texts),
  ]
}
