/** Rows of many series are read in seq order, none of them lost or twice. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NUMBER_FORM } from '../../../../../../src/main/core/store/kernels/number-form.ts'
import { encodeBlock } from '../../../../../../src/main/core/store/blocks/encode.ts'
import { newColumns } from '../../../../../../src/main/core/store/format/message-columns.ts'
import { readTicks } from '../../../../../../src/main/core/store/read/ticks.ts'
import type { BlockQuery, TickColumns, TickSource } from '../../../../../../src/main/core/store/types/ticks.ts'
import { WHOLE } from '../../../../../../src/shared/core/recording/merged-sessions.ts'
import { sessionId } from '../../../../../../src/shared/base/units.ts'

const SESSION = sessionId('r')
const T = 1.7e12

/** A block of trades whose prices say their seq. */
function blockOf(symbol: string, seqs: readonly number[], price: (seq: number) => string): Uint8Array {
  const texts = seqs.map((seq) => Buffer.from(`{"ev":"XT","pair":"${symbol}","p":${price(seq)},"t":${T + seq}}`))
  const m = { ...newColumns(seqs.length, 0), bytes: Buffer.concat(texts) }
  seqs.forEach((seq, i) => {
    m.seq[i] = seq
    m.connSeq[i] = seq
    m.recvMs[i] = T + seq + 5
    m.offsets[i + 1] = m.offsets[i] + texts[i].length
  })
  return encodeBlock('crypto/XT', m)
}

/** Series of blocks in memory. */
function sourceOf(
  series: readonly (readonly { readonly last: number; readonly data: Uint8Array }[])[],
  maxSeq: number,
): TickSource {
  return {
    plan: () => [{ id: 1, session: SESSION, maxSeq, share: WHOLE, shares: new Map() }],
    window: () => ({
      sealedSeq: maxSeq,
      series: series.map((_, id) => ({ id, instrument: `S${id}` })),
      journal: [],
      upToSeq: maxSeq,
      conns: [],
    }),
    blocks: ({ series: id, after, limit }: BlockQuery) =>
      series[id]
        .filter(({ last }) => last > after)
        .slice(0, limit)
        .map(({ data }) => ({ data, minMs: -Infinity, maxMs: Infinity })),
  }
}

async function read(source: TickSource): Promise<TickColumns[]> {
  const batches: TickColumns[] = []
  for await (const batch of readTicks(source, { feed: 'crypto/XT', instruments: null })) batches.push(batch)
  return batches
}

/** What a batch says about each of its rows. */
function rowsOf(batch: TickColumns): unknown[][] {
  const writer = batch.writer('p')
  const { values, forms } = writer.numbers
  return Array.from(batch.seq, (seq, i) => {
    const form = typeof forms === 'number' ? forms : forms[i]
    const number = values[i] === Infinity ? null : values[i] / 10 ** (form & NUMBER_FORM.decimals)
    const times = [batch.eventMs[i] - T, batch.recvMs[i] - T, batch.connSeq[i]]
    return [seq, batch.symbol(i), batch.literal('p', i), number, ...times]
  })
}

test('rows of many series are read in seq order, each once, with arrays that are used again and without', async () => {
  const rows = fc.array(
    fc.tuple(fc.nat(8), fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 60_000 }))),
    {
      minLength: 1,
      maxLength: 400,
    },
  )
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 50 }), async (steps, blockRows) => {
      const price = (seq: number): string => (seq % 7 === 0 ? '1e+30' : `${seq}.5`)
      const seqs: number[][] = Array.from({ length: 9 }, () => [])
      let last = 0
      for (const [id, step] of steps) seqs[id].push((last += step))
      const series = seqs.map((all, id) =>
        Array.from({ length: Math.ceil(all.length / blockRows) }, (_, i) => {
          const part = all.slice(i * blockRows, (i + 1) * blockRows)
          return { last: part.at(-1) ?? 0, data: blockOf(`S${id}`, part, price) }
        }),
      )
      const found = (await read(sourceOf(series, last))).flatMap(rowsOf)
      const used: unknown[] = []
      const query = { feed: 'crypto/XT', instruments: null, reusesArrays: true } as const
      for await (const batch of readTicks(sourceOf(series, last), query)) used.push(...rowsOf(batch))
      expect(used).toEqual(found)
      const expected = seqs.flatMap((all, id) =>
        all.map((seq) => [seq, `S${id}`, price(seq), seq % 7 === 0 ? null : seq + 0.5, seq, seq + 5, seq] as const),
      )
      expect(found).toEqual(expected.sort(([a], [b]) => a - b))
    }),
    { numRuns: 20 },
  )
})

test('arrays are reused from one result to the next only where it was asked for', async () => {
  const blocks = [
    { last: 3, data: blockOf('S0', [1, 2, 3], String) },
    { last: 6, data: blockOf('S0', [4, 5, 6], String) },
  ]
  const query = { feed: 'crypto/XT', instruments: null } as const
  const seqs: number[][] = []
  const batches: TickColumns[] = []
  for await (const batch of readTicks(sourceOf([blocks], 6), { ...query, reusesArrays: true })) {
    seqs.push([...batch.seq])
    batches.push(batch)
  }
  expect(seqs).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ])
  expect(batches[0].seq.buffer).toBe(batches[1].seq.buffer)
  const kept = await read(sourceOf([blocks], 6))
  expect(kept.map(({ seq }) => [...seq])).toEqual(seqs)
})

test('arrays are reused where series are merged, too', async () => {
  const series = [0, 1].map((id) => {
    const seqs = Array.from({ length: 30_000 }, (_, i) => 2 * i + id + 1)
    return [{ last: seqs.at(-1) ?? 0, data: blockOf(`S${id}`, seqs, String) }]
  })
  const query = { feed: 'crypto/XT', instruments: null, reusesArrays: true } as const
  const buffers = new Set<unknown>()
  let batches = 0
  for await (const { count, seq, recvMs } of readTicks(sourceOf(series, 60_000), query)) {
    expect(count).toBeGreaterThan(1_000)
    batches++
    buffers.add(seq.buffer).add(recvMs.buffer)
  }
  expect(batches).toBeGreaterThan(3)
  // The last ones may be larger than those before, or of one series.
  expect(buffers.size).toBeLessThan(2 * batches)
})

test('a seq that two series have is corrupt, not one message', async () => {
  const series = [
    [1, 2, 5],
    [3, 5, 6],
  ].map((seqs, id) => [{ last: 6, data: blockOf(`S${id}`, seqs, String) }])
  await expect(read(sourceOf(series, 6))).rejects.toMatchObject({ code: 'store-damaged' })
})

test('seqs that don’t ascend are corrupt', async () => {
  const series = [
    [1, 30_000_000, 2, 30_000_001],
    [3, 4, 40_000_000],
  ].map((seqs, id) => [{ last: seqs.at(-1) ?? 0, data: blockOf(`S${id}`, seqs, String) }])
  await expect(read(sourceOf(series, 40_000_000))).rejects.toMatchObject({ code: 'store-damaged' })
})
