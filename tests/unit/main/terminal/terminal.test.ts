import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { StreamValue } from '../../../../src/shared/contracts.ts'
import type { PrintsPlace } from '../../../../src/shared/core/views/contract.ts'
import type { Print } from '../../../../src/shared/core/market/market.ts'
import { instrumentId } from '../../../../src/shared/base/units.ts'
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../../src/simulator/simulator.ts'
import { dispatchCall, openStream } from '../../../../src/main/rpc/dispatch.ts'
import { openStoreWriter } from '../../../../src/main/core/store/open.ts'
import { store } from '../../../../src/main/core/store/feature.ts'
import { account } from '../../../../src/main/core/account/feature.ts'
import { live } from '../../../../src/main/core/views/live-feature.ts'
import { views } from '../../../../src/main/core/views/feature.ts'
import { barsPage } from '../../../../src/main/core/views/views.ts'
import type { Terminal } from '../../../../src/main/hosts/open-terminal.ts'
import type { HostOptions } from '../../../../src/main/terminal/host.ts'
import { makeFolder } from '../../../kit/folder.ts'
import { hurriedClock } from '../../../kit/clock.ts'
import { tradeText } from '../../../kit/market.ts'
import { DEMO_DATA, follow, startRealTerminal, WORKERS } from '../../../kit/real-terminal.ts'

const BTC = instrumentId('crypto', 'BTC-USD')

let folder: string
let cleanups: (() => Promise<void>)[]
beforeEach(() => {
  folder = makeFolder('terminal')
  cleanups = []
})
afterEach(async () => {
  for (const clean of cleanups.reverse()) await clean()
})

async function terminalOf(options: Partial<HostOptions> = {}): Promise<Terminal> {
  const terminal = await startRealTerminal({
    dataDir: folder,
    ...options,
  })
  cleanups.push(() => terminal.close())
  return terminal
}

async function simulator(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const running = await startSimulator({ dataDir: DEMO_DATA, market: { kind: 'none' }, ...options })
  cleanups.push(() => running.close())
  return running
}

const signIn = ({ baseUrl, username, password }: Simulator) => ({
  source: 'service' as const,
  account: { baseUrl, user: username, password },
  wantWatchlists: false,
})

describe('the terminal', () => {
  it('tells windows which of its files could not be read', async () => {
    for (const name of ['settings.json', 'workspaces.json', 'alerts.json']) writeFileSync(join(folder, name), '{"cut o')
    const terminal = await terminalOf({ source: 'demo' })
    const { notices } = await follow(terminal, 'desktop.info', {}, () => true)
    expect(notices).toEqual([
      expect.stringMatching(/settings file was corrupt.*settings\.bad\.json/),
      expect.stringMatching(/workspaces were corrupt.*workspaces\.bad\.json/),
      expect.stringMatching(/Alerts couldn’t be read.*alerts\.json\.bad/),
    ])
  })

  it('shows the demo market trade, with nothing set up, and keeps what it received', async () => {
    const terminal = await terminalOf({ source: 'demo' })
    const args = { view: 'live', instruments: [BTC] }
    const rows = await follow(
      terminal,
      'quotes',
      args,
      ({ rows: [row] }) => row?.lastOf === 'trade' && row.bid !== null,
    )
    expect(rows.rows[0]).toMatchObject({ symbol: 'BTC-USD', name: 'Bitcoin', freshness: 'live' })
    const bars = await follow(
      terminal,
      'bars',
      { view: 'live', instrument: BTC, of: 'trade', interval: '1s', fromMs: null },
      (value) => (value.reset?.length ?? 0) > 0 || value.updates.length > 0,
    )
    expect(bars.decimals).toBeGreaterThan(0)
    const status = await follow(terminal, 'status', { view: 'live' }, (value) => value.stored > 50)
    expect(status).toMatchObject({ source: 'demo', recorder: { is: 'recording' } })
    expect(status.receiveToStored?.p99).toBeGreaterThan(0)
    await terminal.close()
    const again = await terminalOf({ source: 'demo', record: false })
    const sessions = await again.service(store).reader.sessions(true)
    expect(sessions).toMatchObject([{ source: 'demo', clean: true, live: false }])
    for (const { received, decoded, control, undecodable, stored } of sessions[0].feeds) {
      expect(received).toBe(decoded + control + undecodable)
      expect(stored).toBe(received)
    }
    expect(await again.service(store).reader.verify(null)).toMatchObject({ ok: true, problems: [] })
  })

  it('stores exactly what a service sent, and says so', async () => {
    const service = await simulator()
    const terminal = await terminalOf(signIn(service))
    terminal.want('crypto/XT', ['BTC-USD'])
    await service.subscribed('crypto/XT', 'BTC-USD')
    for (let i = 0; i < 500; i += 1) {
      service.send('crypto/XT', 'BTC-USD', tradeText('BTC-USD', 100 + i, 1, Date.now()))
    }
    service.send('crypto/XT', 'BTC-USD', 'no JSON at all')
    await follow(terminal, 'status', { view: 'live' }, (value) => value.stored >= service.sent().frames)
    await terminal.close()
    const [session] = await (await terminalOf({ source: 'demo', record: false })).service(store).reader.sessions(true)
    const feed = session?.feeds.find((one) => one.feed === 'crypto/XT')
    expect(feed).toMatchObject({
      received: service.sent().frames,
      stored: service.sent().frames,
      decoded: 500,
      undecodable: 1,
    })
    expect(session?.source).toBe(`service:${service.username}@${service.baseUrl}`)
  })

  it('passes on that the network changed', async () => {
    const terminal = await terminalOf({ source: 'demo', record: false, wantWatchlists: false })
    const changed = vi.spyOn(terminal.service(live).feeds, 'networkChanged')
    expect(await dispatchCall(terminal.handlers, 'app.networkChanged', {})).toEqual({ ok: true, value: null })
    expect(changed).toHaveBeenCalledOnce()
  })

  it('changes its source: another recording, nothing of the other market left', async () => {
    const service = await simulator()
    const terminal = await terminalOf({ source: 'demo', wantWatchlists: false })
    const { handlers } = terminal
    const args = { view: 'live', instruments: [BTC] }
    await follow(terminal, 'quotes', args, ({ rows: [row] }) => typeof row?.last === 'number')
    const wrong = { baseUrl: service.baseUrl, user: service.username, password: 'wrong' }
    const steps = await terminal.service(account).credentials.testConnection(wrong)
    expect(steps.at(-1)).toMatchObject({ step: 'token', ok: false, code: 'wrong-password' })
    const result = await dispatchCall(handlers, 'account.connect', { ...wrong, password: service.password })
    expect(result).toMatchObject({ ok: true, value: { source: 'service', user: service.username } })
    expect(JSON.stringify(result)).not.toContain(service.password)
    expect(JSON.stringify(terminal.settings())).not.toContain(service.password)
    const row = await follow(terminal, 'quotes', args, () => true)
    expect(row.rows[0]).toMatchObject({ last: null })
    const stream = openStream(handlers, 'quotes', args, () => {})
    await service.subscribed('crypto/XT', 'BTC-USD')
    service.send('crypto/XT', 'BTC-USD', tradeText('BTC-USD', 7, 1, Date.now()))
    await follow(terminal, 'quotes', args, ({ rows: [one] }) => one?.last === 7)
    if (stream.ok) stream.value.close()
    await terminal.service(live).disconnect()
    const sources = (await terminal.service(store).reader.sessions(true))
      .toSorted((a, b) => a.startedMs - b.startedMs)
      .map((one) => one.source)
    expect(sources).toEqual(['demo', `service:${service.username}@${service.baseUrl}`, 'demo'])
    expect(terminal.settings().account).toMatchObject({ source: 'demo', baseUrl: '', user: '' })
  })

  it('turns recording off and on without losing the market, and remembers it', async () => {
    const terminal = await terminalOf({ source: 'demo', wantWatchlists: false })
    await terminal.setRecording(false)
    expect(terminal.status().recorder).toEqual({ is: 'off' })
    const args = { view: 'live', instruments: [BTC] }
    await follow(terminal, 'quotes', args, ({ rows: [row] }) => typeof row?.last === 'number')
    expect(terminal.settings().recording.enabled).toBe(false)
    await terminal.setSettings({ recording: { enabled: true } })
    expect(terminal.status().recorder.is).toBe('recording')
  })

  it('joins a stored past with the forming bar without a seam', async () => {
    const service = await simulator()
    const t0 = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000
    const send = (price: number, at: number) =>
      service.send('crypto/XT', 'BTC-USD', tradeText('BTC-USD', price, 2, t0 + at))
    const terminal = await terminalOf(signIn(service))
    terminal.want('crypto/XT', ['BTC-USD'])
    await service.subscribed('crypto/XT', 'BTC-USD')
    send(10, 0)
    send(12, 1_000)
    send(11, 61_000)
    await follow(terminal, 'status', { view: 'live' }, (value) => value.stored >= 4)
    const args = { view: 'live', instrument: BTC, of: 'trade', interval: '1m', fromMs: t0 }
    const stream = openStream(terminal.handlers, 'bars', args, () => {})
    const first = await follow(terminal, 'bars', args, (value) => value.reset !== null)
    expect(first.reset).toMatchObject([
      { startMs: t0, open: 10, high: 12, low: 10, close: 12, volume: 4, count: 2 },
      { startMs: t0 + 60_000, open: 11, close: 11, volume: 2, count: 1 },
    ])
    send(15, 62_000)
    await follow(terminal, 'quotes', { view: 'live', instruments: [BTC] }, ({ rows: [row] }) => row?.last === 15)
    const joined = await follow(terminal, 'bars', args, (value) => value.reset !== null)
    expect(joined.reset?.[1]).toMatchObject({ open: 11, high: 15, close: 15, volume: 4, count: 2 })
    const page = await barsPage(terminal.service(store).reader, terminal.service(views).get('live'), {
      instrument: BTC,
      of: 'trade',
      interval: '1m',
      beforeMs: t0 + 60_000,
      limit: 10,
    })
    expect(page).toMatchObject({ bars: [{ startMs: t0 }], more: false })
    const tape = await terminal.service(views).get('live').history.printsBefore(BTC, null, 3)
    expect(tape.prints.map(({ price, direction }) => [price, direction])).toEqual([
      [12, 1],
      [11, -1],
      [15, 1],
    ])
    if (stream.ok) stream.value.close()
  })
})

describe('older prints', () => {
  it('tell their direction as live did: none follows a gap, nor a late print', async () => {
    const service = await simulator()
    const t0 = Date.now()
    const terminal = await terminalOf(signIn(service))
    terminal.want('crypto/XT', ['BTC-USD'])
    await service.subscribed('crypto/XT', 'BTC-USD')
    const live: Print[] = []
    const tape = openStream(terminal.handlers, 'tape', { view: 'live', instrument: BTC, limit: 50 }, () => {})
    if (!tape.ok) throw new Error(tape.error.message)
    const take = () => {
      const value = tape.value.take() as StreamValue<'tape'> | undefined // the stream of this name
      if (value?.reset) live.splice(0, live.length, ...value.reset)
      live.push(...(value?.prints ?? []))
      return live.length
    }
    const send = async (price: number, at: number) => {
      const before = take()
      service.send('crypto/XT', 'BTC-USD', tradeText('BTC-USD', price, 1, t0 + at))
      await expect.poll(take, { timeout: 15_000 }).toBe(before + 1)
    }
    await send(10, 0)
    await send(12, 1_000)
    // Late: a print below the last one, but not the last one.
    await send(9, 500)
    await send(11, 2_000)
    service.fault('drop')
    await service.subscribed('crypto/XT', 'BTC-USD')
    await send(13, 3_000)
    await send(14, 4_000)
    const told = [
      [10, null],
      [12, 1],
      [9, -1],
      [11, -1],
      [13, null],
      [14, 1],
    ]
    expect(live.map(({ price, direction }) => [price, direction])).toEqual(told)
    const page = await terminal.service(views).get('live').history.printsBefore(BTC, null, 10)
    expect(page.prints.map(({ price, direction }) => [price, direction])).toEqual(told)
    tape.value.close()
  })

  it('are paged through earlier sessions of the same source, and never through another', async () => {
    const service = await simulator()
    const terminal = await terminalOf(signIn(service))
    terminal.want('crypto/XT', ['BTC-USD'])
    await service.subscribed('crypto/XT', 'BTC-USD')
    let price = 0
    const send = async (count: number) => {
      for (let i = 0; i < count; i += 1) {
        price += 1
        service.send('crypto/XT', 'BTC-USD', tradeText('BTC-USD', price, 1, Date.now()))
      }
      const quotes = { view: 'live', instruments: [BTC] }
      await follow(terminal, 'quotes', quotes, ({ rows: [row] }) => row?.last === price)
    }
    await send(5)
    await terminal.setRecording(false)
    await terminal.setRecording(true) // another recording, with nothing of this instrument
    await terminal.setRecording(false)
    await terminal.setRecording(true)
    await send(3)
    const page = (before: PrintsPlace | null) =>
      terminal.service(views).get('live').history.printsBefore(BTC, before, 2)
    const pages: (readonly number[])[] = []
    let before: PrintsPlace | null = null
    do {
      const { prints, older } = await page(before)
      pages.push(prints.map((print) => print.price))
      before = older
    } while (before !== null)
    expect(pages).toEqual([[7, 8], [6], [4, 5], [2, 3], [1]])

    const [first] = await terminal.service(store).reader.sessions(true)
    await terminal.service(live).disconnect()
    const foreign = { session: first.session, seq: null, ms: null }
    await expect(page(foreign)).rejects.toMatchObject({ code: 'not-found' })
    expect((await page(null)).prints.every((print) => print.price > 100)).toBe(true)
  })
})

describe('a store that cannot be written', () => {
  /** Does not make a test wait for the retries. */
  const clock = hurriedClock((ms) => Math.min(ms, 100))
  const quotes = { view: 'live', instruments: [BTC] }
  const trades = (terminal: Terminal) =>
    follow(terminal, 'quotes', quotes, ({ rows: [row] }) => typeof row?.last === 'number')
  const file = () => join(folder, 'tapedeck.db')

  it('is watched without while another Tapedeck records into it, and recorded into when that ends', async () => {
    const other = await openStoreWriter({ file: file() })
    const terminal = await terminalOf({ source: 'demo', wantWatchlists: false, clock })
    const want = terminal.want('crypto/XT', ['BTC-USD'])
    await trades(terminal)
    const broken = await follow(
      terminal,
      'status',
      { view: 'live' },
      ({ recorder }) => recorder.is === 'broken' && recorder.lost > 0,
    )
    expect(broken.recorder).toMatchObject({ why: { code: 'store-locked' } })
    expect(JSON.stringify(broken.recorder)).toContain('Another Tapedeck is recording')
    expect(await terminal.service(store).reader.sessions(true)).toEqual([]) // the past is read meanwhile
    await other.close()
    await follow(terminal, 'status', { view: 'live' }, (value) => value.stored > 0)
    expect(terminal.status().recorder.is).toBe('recording')
    want.release()
    await terminal.close()
    const again = await terminalOf({ source: 'demo', record: false })
    const [session] = await again.service(store).reader.sessions(true)
    expect(session?.gaps.map(({ cause }) => cause)).not.toContain('disk')
    expect(await again.service(store).reader.verify(null)).toMatchObject({ ok: true })
  })

  it('is recorded into as soon as the disk lets it, with a gap of what came before', async () => {
    writeFileSync(join(folder, 'in-the-way'), '')
    const storeFile = join(folder, 'in-the-way', 'tapedeck.db')
    // What a reader found is remembered for a second, which doesn't pass here.
    const clock = hurriedClock((ms) => (ms === 1_000 ? 3_600_000 : Math.min(ms, 100)))
    const terminal = await terminalOf({ source: 'demo', storeFile, wantWatchlists: false, clock })
    terminal.want('crypto/XT', ['BTC-USD'])
    await trades(terminal)
    const { recorder: broken } = terminal.status()
    expect(broken).toMatchObject({ is: 'broken', why: { code: 'disk-error' } })
    await expect(terminal.service(store).reader.sessions(true)).rejects.toMatchObject({ code: 'not-found' })
    rmSync(join(folder, 'in-the-way'))
    await follow(terminal, 'status', { view: 'live' }, (value) => value.stored > 0)
    const [session] = await terminal.service(store).reader.sessions(true)
    const gap = session?.gaps.find(({ feed, cause }) => feed === 'crypto/XT' && cause === 'disk')
    expect(gap?.symbols).toEqual([])
    expect(gap?.fromMs).toBe(broken.is === 'broken' ? broken.sinceMs : NaN)
    expect(gap?.toMs).toBeGreaterThanOrEqual(session?.startedMs ?? NaN)
    expect(await terminal.service(store).reader.verify(null)).toMatchObject({ ok: true })
  })

  it('that is no store is never overwritten; recording starts once it is gone, and a host that must record refuses it', async () => {
    writeFileSync(file(), 'a letter to a friend '.repeat(100))
    await expect(terminalOf({ source: 'demo', mustRecord: true })).rejects.toMatchObject({ code: 'store-damaged' })
    const terminal = await terminalOf({ source: 'demo', wantWatchlists: false, clock })
    await trades(terminal)
    expect(terminal.status().recorder).toMatchObject({ is: 'broken', why: { code: 'store-damaged' } })
    await expect(terminal.service(store).reader.sessions(true)).rejects.toMatchObject({ code: 'store-damaged' })
    rmSync(file())
    await terminal.setRecording(true)
    expect(terminal.status().recorder.is).toBe('recording')
  })

  /** The writer as it is on a full disk: open, told once, and not answering what it tries again. */
  const fullDisk = (): URL => {
    const worker = join(folder, 'full-disk.mjs')
    writeFileSync(
      worker,
      `import { parentPort } from 'node:worker_threads'
      const failure = { code: 'disk-full', message: 'The disk that holds the store is full.' }
      const held = []
      parentPort.on('message', (request) => {
        if (request.method === 'begin') parentPort.postMessage({ is: 'trouble', failure })
        if (request.method !== 'close') return held.push(request)
        for (const { call } of [...held, request]) if (call) parentPort.postMessage({ is: 'done', call })
      })
      parentPort.postMessage({ is: 'opened', notices: [] })`,
    )
    return pathToFileURL(worker)
  }

  it('is read while the disk is full: bars, volume and reference of the day go on from what is stored', async () => {
    const service = await simulator()
    const send = async (terminal: Terminal, price: number, size: number): Promise<void> => {
      terminal.want('crypto/XT', ['BTC-USD'])
      await service.subscribed('crypto/XT', 'BTC-USD')
      service.send('crypto/XT', 'BTC-USD', tradeText('BTC-USD', price, size, Date.now()))
    }
    const before = await terminalOf(signIn(service))
    await send(before, 100, 5)
    await follow(before, 'status', { view: 'live' }, ({ stored }) => stored >= service.sent().frames)
    await before.close()
    const terminal = await terminalOf({ ...signIn(service), workers: { ...WORKERS, store: fullDisk() } })
    const args = { view: 'live', instrument: BTC, of: 'trade', interval: '1D', fromMs: null } as const
    const bars = follow(
      terminal,
      'bars',
      args,
      (value) => [...(value.reset ?? []), ...value.updates].at(-1)?.close === 104,
    )
    await send(terminal, 104, 2)
    const { reset, updates } = await bars
    expect([...(reset ?? []), ...updates]).toMatchObject([{ open: 100, close: 104, volume: 7 }])
    expect(terminal.status().recorder).toMatchObject({ is: 'broken', why: { code: 'disk-full' } })
    const { rows } = await follow(terminal, 'quotes', quotes, ({ rows: [row] }) => row?.reference === 100)
    expect(rows[0]).toMatchObject({ last: 104, volume: 7, open: 100, low: 100, high: 104 })
  })

  it('on a disk that stays full begins nothing, yet everything else goes on and it can be left', async () => {
    const service = await simulator()
    const terminal = await terminalOf({
      source: 'demo',
      wantWatchlists: false,
      workers: { ...WORKERS, store: fullDisk() },
    })
    terminal.want('crypto/XT', ['BTC-USD'])
    await trades(terminal)
    expect(terminal.status().recorder).toMatchObject({ is: 'broken', why: { code: 'disk-full' } })
    const { baseUrl, username: user, password } = service
    await terminal.service(live).connect({ baseUrl, user, password })
    await service.subscribed('crypto/XT', 'BTC-USD')
    service.send('crypto/XT', 'BTC-USD', tradeText('BTC-USD', 7, 1, Date.now()))
    await follow(terminal, 'quotes', quotes, ({ rows: [row] }) => row?.last === 7)
    expect(terminal.status().recorder).toMatchObject({ is: 'broken', why: { code: 'disk-full' } })
    await terminal.close()
  })
})
