/**
 * A process that records a burst until it is killed. Says on standard output, a line each: `r SEQ` for
 * what was received (before it could be stored), `c SEQ` for what a commit acknowledged.
 */
import { writeSync } from 'node:fs'
import { systemClock } from '../../src/main/base/clock.ts'
import { createRecorder } from '../../src/main/core/recording/recorder.ts'
import { openStoreWriter } from '../../src/main/core/store/open.ts'
import { newSessionId } from '../../src/main/core/store/types/session-id.ts'

const file = process.argv[2]
if (file === undefined) throw new TypeError('usage: burst FILE')
const writer = await openStoreWriter({ file, worker: new URL('../../src/main/store-worker.ts', import.meta.url) })
const recorder = createRecorder({ writer, clock: systemClock, newId: newSessionId })
const id = await recorder.start({ kind: 'demo', origin: 'demo', user: '' })
writeSync(1, `id ${id}\n`)
writer.onEvent((event) => {
  if (event.is === 'committed') writeSync(1, `c ${event.seq}\n`)
})
const feeds = ['crypto/XT', 'crypto/XQ'] as const
const conns = feeds.map((feed) => recorder.connection(feed))
const encoder = new TextEncoder()
let n = 0
function burst(): void {
  for (let i = 0; i < 200; i++) {
    n++
    const stamp = { wallMs: systemClock.wallMs(), monoNs: systemClock.monoNs() }
    const k = n % 2
    const text =
      k === 0
        ? `{"ev":"XT","pair":"BTC-USD","p":${n % 1000}.5,"t":${stamp.wallMs},"s":${n}}`
        : `{"ev":"XQ","pair":"ETH-USD","bp":${n}.1,"ap":${n}.2,"t":${stamp.wallMs}}`
    recorder.frame(conns[k], encoder.encode(text), false, stamp)
  }
  if (n % 1000 === 0) writeSync(1, `r ${n} ${Date.now()}\n`)
  setTimeout(burst, 2)
}
burst()
