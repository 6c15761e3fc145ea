/** The list of many sessions: what a window waits for when it first asks a reader that was just opened. */
import { join } from 'node:path'
import { newColumns } from '../src/main/core/store/format/message-columns.ts'
import { StoreEngine } from '../src/main/core/store/threads/engine.ts'
import { openStoreReader } from '../src/main/core/store/open.ts'
import { newSessionId } from '../src/main/core/store/types/session-id.ts'
import type { StoredEntry } from '../src/main/core/store/types/messages.ts'
import { monoNs, unixMs } from '../src/shared/base/units.ts'
import { median, row, type Row } from './row.ts'
import { inFolder } from './session.ts'

const READER_WORKER = new URL('../src/main/reader-worker.ts', import.meta.url)
const START = Date.UTC(2026, 0, 5)
const APART_MS = 1_800_000
const GAPS = 4
const LIMIT_MS = 100

/** Lists `count` sessions, each with a few gaps. */
export async function benchSessions(count = 1_500): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    const file = join(folder, 'tapedeck.db')
    makeSessions(file, count)
    const waited: number[] = []
    for (let i = 0; i < 5; i++) {
      const reader = await openStoreReader({ file, worker: READER_WORKER })
      const from = performance.now()
      const rows = await reader.sessions(true)
      waited.push(performance.now() - from)
      await reader.close()
      if (rows.length !== count) throw new Error(`${rows.length} of ${count} sessions are listed`)
    }
    const name = `first list of ${count} sessions by a reader that was just opened`
    const goal = { is: 'at most', ratio: 1 } as const
    return [row({ name, unit: 'ms', ours: median(waited), peer: LIMIT_MS, peerName: 'the limit', goal })]
  })
}

function makeSessions(file: string, count: number): void {
  const engine = new StoreEngine(file)
  for (let s = 0; s < count; s++) {
    const from = START + s * APART_MS
    engine.begin(newSessionId(unixMs(from)), { kind: 'demo', origin: 'demo', user: '' }, unixMs(from))
    const entries = Array.from({ length: GAPS * 2 }, (_, i): StoredEntry => {
      const seq = i + 1
      const wallMs = from + i * 1_000
      const stamp = { seq, wallMs, monoNs: monoNs(i * 1e9) }
      return i % 2 === 0
        ? {
            ...stamp,
            entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(wallMs) },
          }
        : { ...stamp, entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: seq - 1 } }
    })
    engine.commit([{ messages: newColumns(0, 0), entries, connections: [{ conn: 1, feed: 'crypto/XT' }] }])
    engine.end(unixMs(from + GAPS * 2_000), [])
    engine.drain()
  }
  engine.close()
}
