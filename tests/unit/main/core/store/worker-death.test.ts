import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { createRecorder } from '../../../../../src/main/core/recording/recorder.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { DEMO, readAll } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

it('is survived: the thread restarts, the interruption is a gap, and committed messages stay', async () => {
  const folder = makeStoreFolder()
  // A thread that ends itself once in the middle of its work, when a file tells it to.
  const trap = `${folder.path}/die`
  const entry = `${folder.path}/mortal.mjs`
  const real = new URL('../../../../../src/main/core/store/threads/writer.ts', import.meta.url).href
  writeFileSync(
    entry,
    `import { existsSync, rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { serveWriter } from ${JSON.stringify(real)}
setInterval(() => { if (existsSync(${JSON.stringify(trap)})) { rmSync(${JSON.stringify(trap)}); throw new Error('trapped') } }, 5).unref()
serveWriter(parentPort, workerData.file)
`,
  )
  const writer = await openStoreWriter({ file: folder.file, worker: new URL(`file://${entry}`) })
  const recorder = createRecorder({ writer, clock: systemClock, newId: newSessionId })
  const died = Promise.withResolvers<void>()
  const until = (ready: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const off = writer.onEvent((event) => {
        if (event.is === 'died') died.resolve()
        if (!ready()) return
        off()
        resolve()
      })
    })
  const first = await recorder.start(DEMO)
  const conn = recorder.connection('crypto/XT')
  const send = (n: number): string => {
    const text = tradeText('BTC-USD', n, 1, systemClock.wallMs())
    recorder.frame(conn, new TextEncoder().encode(text), false, {
      wallMs: systemClock.wallMs(),
      monoNs: systemClock.monoNs(),
    })
    return text
  }
  const before = send(1)
  await until(() => recorder.stats().stored === 1)
  const gone = until(() => recorder.session !== first)
  writeFileSync(trap, '')
  await Promise.race([gone, died.promise])
  const after = send(2)
  await until(() => recorder.stats().stored === 2)
  expect(recorder.state()).toMatchObject({ is: 'recording' })
  await recorder.stop()
  const reader = await openStoreReader({ file: folder.file })
  expect((await readAll(reader, 'crypto/XT')).map((row) => row.raw)).toEqual([before, after])
  const [old, now] = await reader.sessions()
  expect(old).toMatchObject({ session: first, clean: false, gaps: [{ cause: 'worker', feed: 'crypto/XT' }] })
  expect(now).toMatchObject({ clean: true, messages: 1 })
  expect((await reader.verify(null)).problems).toEqual([])
  await reader.close()
  await writer.close()
  folder.remove()
})
