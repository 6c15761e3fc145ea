/**
 * A process that records a little until it is killed: a session that is closed, and one that is not. Says on standard
 * output, a line each: `id ID` of the second, `r N MS` and `c N` once its messages are committed.
 */
import { writeSync } from 'node:fs'
import { SEAL_AFTER_MS, StoreEngine } from '../../src/main/core/store/threads/engine.ts'
import { newSessionId } from '../../src/main/core/store/types/session-id.ts'
import { unixMs } from '../../src/shared/base/units.ts'
import { DEMO, T0, Writer } from '../unit/main/core/store/harness.ts'
import { quoteText, tradeText } from '../kit/market.ts'

const file = process.argv[2]
if (file === undefined) throw new TypeError('usage: few FILE [end]')
let nowMs = T0
const engine = new StoreEngine(file, () => nowMs)
let id = newSessionId(T0)
for (const isLast of [false, true]) {
  id = newSessionId(nowMs)
  engine.begin(id, DEMO, unixMs(nowMs))
  const writer = new Writer()
  for (let i = 0; i < 12; i++) {
    const at = nowMs + i
    engine.commit([
      writer.batch([
        { conn: 1, data: tradeText('BTC-USD', 30_000 + i, i + 1, at) },
        { conn: 2, data: quoteText('ETH-USD', 2_000 + i, 2_001 + i, at) },
        { entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: ['BTC-USD'], fromMs: unixMs(at) } },
        { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: writer.seq + 3 } },
        { conn: 1, data: tradeText('BTC-USD', 30_001 + i, i + 2, at) },
      ]),
    ])
    if (i % 5 === 4) {
      nowMs += SEAL_AFTER_MS
      engine.drain()
    }
  }
  if (isLast && process.argv[3] !== 'end') break
  engine.end(unixMs(nowMs), [])
  engine.drain()
}
writeSync(1, `id ${id}\nr 24 ${Date.now()}\nc 24\n`)
if (process.argv[3] === 'end') engine.close()
else setInterval(() => undefined, 1_000)
