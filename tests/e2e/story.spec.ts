/** One user, from the first start on, in both hosts. */
import type { SimulatorProcess } from './simulator.ts'
import { runCli } from './app.ts'
import { expect, test } from './fixtures.ts'
import { Screen } from './screen.ts'

/** Reconnecting waits with jitter; on a busy machine the whole may take a while. */
const BACK_MS = 45_000

interface StoredSession {
  readonly session: string
  readonly source: string
  readonly clean: boolean
  readonly messages: number
  readonly feeds: readonly {
    readonly feed: string
    readonly received: number
    readonly decoded: number
    readonly control: number
    readonly undecodable: number
    readonly unasked: number
    readonly stored: number
  }[]
  readonly gaps: readonly { readonly feed: string; readonly cause: string; readonly to: string | null }[]
}

async function sessionsOf(home: string): Promise<StoredSession[]> {
  const { code, out, err } = await runCli(['sessions', '--json'], home)
  expect(code, err).toBe(0)
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StoredSession) // the contract of the command line
}

async function fillAccount(screen: Screen, simulator: SimulatorProcess, password: string): Promise<void> {
  const dialog = screen.dialog('Connect your account')
  await dialog.getByLabel('Base URL').fill(simulator.baseUrl)
  await dialog.getByLabel('User', { exact: true }).fill(simulator.username)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
}

test('the whole story, from a first start to a second', async ({ open, home, simulator }) => {
  test.setTimeout(300_000)
  const origin = new URL(simulator.baseUrl).host
  let app = await open()
  let screen = new Screen(app.page)

  await test.step('a first start: the demo market trades', async () => {
    await expect(screen.source(/demo market/i)).toBeVisible()
    for (const symbol of ['BTC-USD', 'ETH-USD', 'EURUSD', 'AAPL']) await expect(screen.last(symbol)).toHaveText(/\d/)
    await screen.trades('BTC-USD')
    await screen.ticks('BTC-USD')
    await expect(screen.bigPrice()).toHaveText(/\d/)
    await expect.poll(() => screen.prints().count()).toBeGreaterThan(3)
    await screen.interval('1s').click()
    await expect.poll(async () => (await screen.bars('BTC-USD')).length).toBeGreaterThan(2)
    await expect(screen.recorder()).toHaveAccessibleName(/^Recording/)
  })

  await test.step('a symbol is added by typing, and ticks', async () => {
    await screen.addSymbol('xrp', 'XRP-USD')
    await screen.trades('XRP-USD')
    await screen.ticks('XRP-USD')
  })

  // The simulator is another source: none of these bars is one of its market.
  const demoBars = new Set((await screen.bars('BTC-USD')).map(String))

  await test.step('a wrong password is named as one', async () => {
    await app.page.getByRole('button', { name: 'Connect your account' }).click()
    const dialog = screen.dialog('Connect your account')
    await expect(dialog.getByLabel('Base URL')).toHaveValue('')
    await fillAccount(screen, simulator, 'not the password')
    await dialog.getByRole('button', { name: 'Test connection' }).click()
    const steps = dialog.getByRole('list', { name: 'Test steps' }).getByRole('listitem')
    await expect(steps.filter({ hasText: 'reach' }).first()).toContainText('answers')
    await expect(steps.filter({ hasText: 'token' }).first()).toContainText(/password/i)
    await expect(steps.filter({ hasText: 'handshake' })).toContainText('not reached')
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(dialog.getByRole('alert')).toContainText(/password/i)
    await expect(dialog).toBeVisible()
  })

  await test.step('the right one passes every step, and its market trades', async () => {
    const dialog = screen.dialog('Connect your account')
    await dialog.getByLabel('Password', { exact: true }).fill(simulator.password)
    await dialog.getByRole('button', { name: 'Test connection' }).click()
    const steps = dialog.getByRole('list', { name: 'Test steps' })
    await expect(steps).not.toContainText(/not reached|waiting/)
    await expect(steps.getByRole('listitem')).toHaveCount(5)
    await expect(steps.getByRole('listitem').last()).toContainText('came')
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(dialog).toBeHidden()
    await expect(screen.source(new RegExp(`Live from ${origin}`))).toBeVisible()
    await screen.trades('BTC-USD')
    await screen.ticks('XRP-USD')
    const bars = (await screen.bars('BTC-USD')).map(String)
    expect(bars.length).toBeGreaterThan(0)
    expect(bars.filter((bar) => demoBars.has(bar))).toEqual([])
  })

  await test.step('silence of the service is shown as stale, and ends', async () => {
    await simulator.fault('stall', { ms: 600_000 })
    await expect(screen.row('BTC-USD').getByRole('rowheader', { name: /stale/ })).toBeVisible({ timeout: BACK_MS })
    await simulator.fault('stall', { ms: 0 })
    await screen.trades('BTC-USD')
  })

  await test.step('the service goes away: disconnected; it returns: live, with a gap', async () => {
    await simulator.fault('restart', { ms: 5_000 })
    await expect(screen.source(/Not connected to/)).toBeVisible()
    await expect(screen.row('BTC-USD').getByRole('rowheader', { name: /disconnected/ })).toBeVisible()
    await expect(screen.source(new RegExp(`Live from ${origin}`))).toBeVisible({ timeout: BACK_MS })
    await expect(screen.row('BTC-USD').getByRole('rowheader', { name: 'BTC-USD', exact: true })).toBeVisible({
      timeout: BACK_MS,
    })
    await screen.ticks('BTC-USD')
    await screen.allFeedsOpen(BACK_MS)
    // The minute that the gap fell into is marked (a second may have gone by without a trade, and be whole), and the
    // sessions tell the gap.
    await screen.interval('1m').click()
    await expect.poll(async () => (await screen.bars('BTC-USD')).some((bar) => bar.at(-1) === 'no')).toBe(true)
    await screen.interval('1s').click()
    await app.page.getByRole('contentinfo').getByRole('button', { name: 'Sessions' }).click()
    const sessions = app.page.getByRole('region', { name: 'Sessions' })
    const gaps = sessions.getByRole('row').filter({ hasText: 'Recording' }).locator('[title*=": drop"]')
    await expect(gaps).toHaveText(/^[1-9]\d*$/, { timeout: BACK_MS })
    await app.page.getByRole('contentinfo').getByRole('button', { name: 'Sessions' }).click()
  })

  await test.step('an expired token is renewed without a word', async () => {
    const before = (await simulator.sent()).connections.length
    await simulator.fault('expire-token')
    await expect
      .poll(async () => (await simulator.sent()).connections.slice(before).filter((one) => one.market > 0).length, {
        timeout: BACK_MS,
      })
      .toBeGreaterThan(1)
    await expect(screen.row('BTC-USD').getByRole('rowheader', { name: 'BTC-USD', exact: true })).toBeVisible()
    await screen.ticks('BTC-USD')
    await screen.allFeedsOpen(BACK_MS)
    await expect(app.page.getByRole('alert')).toHaveCount(0)
  })

  await test.step('quit: the store is whole', async () => {
    await app.close()
    const { code, out, err } = await runCli(['verify', '--json'], home)
    expect(code, err).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ ok: true, problems: [] })
    const sessions = await sessionsOf(home)
    expect(sessions.every(({ clean }) => clean)).toBe(true)
    expect(sessions.map(({ source }) => source).some((source) => source === 'demo')).toBe(true)
    const ours = sessions.filter(({ source }) => source.includes(origin))
    const sent = await simulator.sent()
    // Connections that were dropped are stored up to some message, so no feed has more than was sent.
    for (const [feed, { frames }] of Object.entries(sent.feeds)) {
      const stored = ours.flatMap(({ feeds }) => feeds).filter((one) => one.feed === feed)
      const total = stored.reduce((sum, one) => sum + one.stored, 0)
      expect(total, feed).toBeGreaterThan(0)
      expect(total, feed).toBeLessThanOrEqual(frames)
      for (const one of stored) {
        expect(one.received).toBe(one.stored)
        expect(one.received).toBe(one.decoded + one.control + one.undecodable)
      }
    }
    const causes = new Set(ours.flatMap(({ gaps }) => gaps.map(({ cause }) => cause)))
    expect([...causes]).toEqual(expect.arrayContaining(['drop', 'token']))
    // Only what was not received since the quit is still missing.
    const left = ours.flatMap(({ gaps }) => gaps).filter(({ to }) => to === null)
    expect(left.filter(({ cause }) => cause !== 'quit')).toEqual([])
  })

  await test.step('a second start: everything as left, and every message that is sent is stored', async () => {
    const before = await simulator.sent()
    app = await open()
    screen = new Screen(app.page)
    await expect(screen.row('XRP-USD')).toBeVisible()
    await expect(screen.interval('1s')).toHaveAttribute('aria-checked', 'true')
    await expect(app.page.getByRole('contentinfo')).toContainText(origin)
    if (process.env.TAPEDECK_EXPECT_KEYCHAIN !== 'os') {
      // Without a keychain secrets last until the end of the process: it asks again, and says so.
      await app.page.getByRole('alert').getByRole('button', { name: 'Sign in again' }).click()
      const dialog = screen.dialog('Connect your account')
      await expect(dialog.getByLabel('Base URL')).toHaveValue(simulator.baseUrl)
      await expect(dialog.getByLabel('User', { exact: true })).toHaveValue(simulator.username)
      await dialog.getByLabel('Password', { exact: true }).fill(simulator.password)
      await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
      await expect(dialog).toBeHidden()
    }
    await expect(screen.source(new RegExp(`Live from ${origin}`))).toBeVisible({ timeout: BACK_MS })
    await screen.trades('BTC-USD')
    await screen.ticks('XRP-USD', 3)
    await app.close()

    const { code, out, err } = await runCli(['verify', '--json'], home)
    expect(code, err).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ ok: true, problems: [] })
    const latest = (await sessionsOf(home)).at(-1)
    expect(latest).toMatchObject({ clean: true })
    const stored = Object.fromEntries((latest?.feeds ?? []).map((one) => [one.feed, one.stored]))
    const since = (await simulator.sent()).connections.slice(before.connections.length)
    const sent: Record<string, number> = {}
    for (const { feed, frames } of since) sent[feed] = (sent[feed] ?? 0) + frames
    expect(Object.keys(sent).length).toBeGreaterThan(1)
    // Every connection of this session was closed cleanly: stored is the whole of what was sent.
    expect(stored).toEqual(sent)
  })
})
