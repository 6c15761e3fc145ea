/** Flushes of a session to measure and test a team with. The same in every run. */
import { LeafHasher } from '../src/main/core/store/format/leaves.ts'
import { sliceColumns } from '../src/main/core/store/format/message-columns.ts'
import { advanceHeads } from '../src/main/features/team/frame/encode.ts'
import { newChain } from '../src/main/features/team/frame/frame.ts'
import type { ChainHeads, CommittedFlush } from '../src/main/core/store/types/flushes.ts'
import type { SessionId } from '../src/shared/base/units.ts'
import { messageRuns } from './ticks.ts'

const FEED = 'crypto/XT'
const INSTRUMENTS = 50

/** Flushes from the start of a session, `count` trades of 50 instruments in all, committed as the store's writer does. */
export function makeFlushes(session: SessionId, count: number, flushRows: number): CommittedFlush[] {
  const hasher = new LeafHasher()
  let heads: ChainHeads = new Map([[1, newChain(session, 1, FEED)]])
  const flushes: CommittedFlush[] = []
  let seq = 0
  for (const run of messageRuns(FEED, count)) {
    const text = Buffer.from(run.bytes.buffer, run.bytes.byteOffset, run.bytes.byteLength)
    for (let i = 0; i < run.count; i++) {
      const at = text.indexOf('BTC-USD', run.offsets[i])
      run.seq[i] = ++seq
      text.write(`S${String(i % INSTRUMENTS).padStart(2, '0')}-USD`, at, 'latin1')
    }
    for (let from = 0; from < run.count; from += flushRows) {
      const messages = sliceColumns(run, from, Math.min(run.count, from + flushRows))
      const connections = flushes.length === 0 ? [{ conn: 1, feed: FEED } as const] : []
      const leaves = hasher.leaves(messages, [], (conn) => (heads.get(conn) ?? newChain(session, conn, FEED)).head)
      const flush = { batch: { messages, entries: [], connections }, leaves }
      flushes.push(flush)
      heads = advanceHeads(session, flushes.length === 1 ? new Map() : heads, [flush])
    }
  }
  return flushes
}
