/** A replay of a session that has no end in the store. */
import { expect, it } from 'vitest'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import type { RecorderState } from '../../../../../src/shared/core/status/status.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { status, why } from '../../../../kit/status.ts'
import { DEMO, T0, Writer } from '../../core/store/harness.ts'
import { openedReplay } from '../../terminal/opened-replay.ts'

it('says that it no longer grows once nobody records the session, also if nothing was added', async () => {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  const session = newSessionId(T0)
  engine.begin(session, DEMO, unixMs(T0))
  engine.commit([new Writer().batch([{ conn: 1, data: tradeText('BTC-USD', 100, 1, T0), recvMs: T0 + 20 }])])
  const reader = openLocalReader(folder.file)
  // Its recorder records another session.
  const replay = await openedReplay(reader, [session])
  await replay.seek({ at: 'end' })
  const woken = Promise.withResolvers<void>()
  const states = replay.states.open(() => woken.resolve())
  expect(states.take()).toMatchObject({ growing: true })
  replay.grow()
  await woken.promise
  expect(states.take()).toMatchObject({ growing: false })
  states.close()
  await replay.close()
  await reader.close()
  engine.close()
  folder.remove()
})

it.each<[RecorderState, boolean]>([
  [{ is: 'off' }, false],
  [{ is: 'broken', why, sinceMs: unixMs(T0), lost: 0 }, true],
  [{ is: 'paused', why, sinceMs: unixMs(T0), lost: 0 }, true],
])('with a recorder that is %o may grow further: %s', async (recorder, growing) => {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  const session = newSessionId(T0)
  engine.begin(session, DEMO, unixMs(T0))
  const writer = new Writer()
  const record = (atMs: number) =>
    engine.commit([writer.batch([{ conn: 1, data: tradeText('BTC-USD', 100, 1, atMs), recvMs: atMs + 20 }])])
  record(T0)
  const reader = openLocalReader(folder.file)
  const replay = await openedReplay(reader, [session], false, systemClock, () => ({ ...status(), recorder }))
  record(T0 + 1_000)
  const woken = Promise.withResolvers<void>()
  const states = replay.states.open(() => {
    if (replay.state().toMs > T0 + 1_000) woken.resolve()
  })
  replay.grow()
  await woken.promise
  expect(replay.state()).toMatchObject({ growing, toMs: T0 + 1_020 })
  states.close()
  await replay.close()
  await reader.close()
  engine.close()
  folder.remove()
})
