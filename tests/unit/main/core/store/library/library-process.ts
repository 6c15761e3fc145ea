/** A process that is killed while it imports or erases. It reports when it is in the middle of it. */
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import { sessionId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { T0, Writer } from '../harness.ts'
import { tradeText } from '../../../../../kit/market.ts'

const [file, what, session] = process.argv.slice(2)
const engine = new StoreEngine(file)
if (what === 'erasing') engine.library.erase([sessionId(session)])
else {
  const batches = () => {
    const writer = new Writer(['crypto/XT', 'crypto/XT'])
    return Array.from({ length: 20 }, () =>
      writer.batch(Array.from({ length: 50 }, (_, i) => ({ conn: 1 + (i % 2), data: tradeText('A', i, 1, T0) }))),
    )
  }
  const about = {
    source: { kind: 'import', origin: 'demo', user: '' },
    startedMs: unixMs(T0),
    endedMs: unixMs(T0),
    clean: true,
    from: 'a test',
  } as const
  const responder = { done: () => undefined, failed: () => undefined }
  for (const handle of [1, 2]) {
    engine.library.beginImport(handle, { ...about, id: newSessionId(T0 + handle) })
    engine.library.appendImport(handle, batches(), responder)
    // The first one is complete, and held for the second one.
    if (handle === 1) engine.library.endImport(handle, null, responder)
    engine.drain()
  }
}
process.stdout.write('now\n')
setInterval(() => undefined, 1_000)
