import { BroadcastChannel } from 'node:worker_threads'
import { afterEach, expect, it } from 'vitest'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { openStoreReader } from '../../../../../src/main/core/store/open.ts'
import { startDemoMarket } from '../../../../../src/main/core/account/demo-market.ts'
import { store } from '../../../../../src/main/core/store/feature.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { DEMO_DATA, startRealTerminal, WORKERS } from '../../../../kit/real-terminal.ts'

const worker = new URL('dying-simulator.ts', import.meta.url)
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

function crash(): void {
  const orders = new BroadcastChannel('tapedeck test: die')
  orders.postMessage(null)
  orders.close()
}

it('comes back on the same port with the same account', async () => {
  const said = Promise.withResolvers<string>()
  const market = await startDemoMarket({
    worker,
    dataDir: DEMO_DATA,
    seed: 1,
    clock: systemClock,
    log: (text) => said.resolve(text),
  })
  undo.push(() => market.close())
  const { baseUrl, user, password } = market.account
  const token = async (): Promise<boolean> => {
    const answer = await fetch(`${baseUrl}/api/token/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: user, password }),
    }).catch(() => null)
    return answer?.ok === true
  }
  expect(await token()).toBe(true)
  crash()
  expect(await said.promise).toContain('is restarting')
  await expect.poll(token, { timeout: 10_000 }).toBe(true)
})

it('is watched on after a crash, with a gap of what was missed', async () => {
  const folder = makeFolder('demo')
  const terminal = await startRealTerminal({
    dataDir: folder,
    workers: { ...WORKERS, simulator: worker },
    source: 'demo',
    wantWatchlists: false,
  })
  undo.push(() => terminal.close())
  terminal.want('crypto/XT', ['BTC-USD'])
  const feed = () => terminal.status().feeds.find((one) => one.feed === 'crypto/XT')
  await expect.poll(() => feed()?.received ?? 0, { timeout: 10_000 }).toBeGreaterThan(1)
  const gapsBefore = terminal.status().gapsToday
  crash()
  // The feed may be open again before its state is read, so the gap tells that the connection was lost.
  await expect.poll(() => terminal.status().gapsToday, { timeout: 10_000 }).toBeGreaterThan(gapsBefore)
  const before = feed()?.received ?? 0
  await expect.poll(() => feed()?.received ?? 0, { timeout: 20_000 }).toBeGreaterThan(before + 1)
  expect(feed()).toMatchObject({ state: { is: 'open' }, acknowledged: ['BTC-USD'] })
  await terminal.setRecording(false) // ends the recording: everything is on disk
  const reader = await openStoreReader({ file: terminal.info.storePath })
  const gaps = await reader.gaps({})
  await reader.close()
  const gap = gaps.find(({ cause }) => cause === 'drop' || cause === 'half-open')
  expect(gap).toMatchObject({ feed: 'crypto/XT', cause: 'drop', symbols: ['BTC-USD'] })
  expect(gap?.toMs).toBeGreaterThan(gap?.fromMs ?? NaN)
  expect(await terminal.service(store).reader.verify(null)).toMatchObject({ ok: true })
})
