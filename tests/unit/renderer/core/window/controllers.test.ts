import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makePrint, makeQuoteRow, tradeOf } from '../../../../kit/market.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { filterLog, logText } from '../../../../../src/renderer/core/log/log-lines.ts'
import { Quotes } from '../../../../../src/renderer/core/market/quotes.svelte.ts'
import { SettingsState } from '../../../../../src/renderer/core/window/settings.svelte.ts'
import { Tape } from '../../../../../src/renderer/features/tape/tape.svelte.ts'
import { Toasts } from '../../../../../src/renderer/ui/toasts.svelte.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'

const btc = instrumentId('crypto', 'BTC-USD')
const eth = instrumentId('crypto', 'ETH-USD')

/** Frames that a test steps by hand. */
function frames() {
  let queue: (() => void)[] = []
  return {
    request: (run: () => void) => void queue.push(run),
    step() {
      const now = queue
      queue = []
      for (const run of now) run()
    },
    get waiting() {
      return queue.length
    },
  }
}

/** Sends a row for every instrument that is followed. */
const quoting = () =>
  new TestTransport().serve('quotes', ({ instruments }) => ({
    rows: instruments.map((instrument) => makeQuoteRow({ instrument, lastRecvMs: unixMs(0) })),
  }))

describe('Quotes', () => {
  it('paint once a frame however many messages came', () => {
    const transport = quoting()
    const frame = frames()
    const quotes = new Quotes(transport, { frame: frame.request, painted: (run) => run() })
    quotes.follow('live', [btc, eth])
    frame.step()
    const version = quotes.version
    for (let i = 0; i < 1000; i++)
      transport.send('quotes', { rows: [makeQuoteRow({ instrument: i % 2 ? btc : eth, last: 100 + i })] })
    expect(quotes.version).toBe(version)
    expect(frame.waiting).toBe(1)
    frame.step()
    expect(quotes.version).toBe(version + 1)
    expect(quotes.row(btc)?.last).toBe(1099)
  })
  it('paint no price from after the clock of a replay that went back', () => {
    const transport = quoting()
    const frame = frames()
    const quotes = new Quotes(transport, { frame: frame.request, painted: (run) => run() })
    quotes.follow('replay', [btc, eth])
    transport.send('quotes', {
      rows: [makeQuoteRow({ instrument: btc, last: 200 }), makeQuoteRow({ instrument: eth })],
    })
    frame.step()
    quotes.rewind()
    transport.send('quotes', { rows: [makeQuoteRow({ instrument: btc, last: 100 })] })
    frame.step()
    expect([quotes.row(btc)?.last, quotes.row(eth)]).toEqual([100, undefined])
  })
  it('measure from receipt to paint, of new messages only', () => {
    const transport = quoting()
    const received = (atMs: number) =>
      transport.send('quotes', { rows: [makeQuoteRow({ last: 5, lastRecvMs: unixMs(atMs) })] })
    const frame = frames()
    let now = 1_000_000
    let visible = true
    const quotes = new Quotes(transport, {
      frame: frame.request,
      painted: (run) => run(),
      now: () => now,
      visible: () => visible,
    })
    quotes.follow('live', [btc])
    frame.step()
    expect(quotes.latency()).toBeUndefined()
    received(1_000_500)
    now = 1_000_507
    frame.step()
    expect(quotes.latency()).toMatchObject({ samples: 1, max: 7 })
    visible = false
    received(1_000_600)
    now = 1_009_000
    frame.step()
    expect(quotes.latency()).toMatchObject({ samples: 1, max: 7 })
  })
  it('keep known rows while another set is followed, and open one stream', () => {
    const transport = quoting()
    const quotes = new Quotes(transport, { frame: frames().request })
    quotes.follow('live', [btc])
    quotes.follow('live', [eth, btc])
    quotes.follow('live', [btc, eth, btc])
    expect(transport.argsOf('quotes')).toHaveLength(1)
    expect(quotes.row(btc)).toBeDefined()
    quotes.close()
    expect(transport.argsOf('quotes')).toEqual([])
  })
  it('come back after the connection was lost, and after the stream ended', async () => {
    const terminal = await WindowTerminal.start()
    const quotes = new Quotes(terminal, { frame: (run) => run() })
    const trade = (price: number) => terminal.control('send', [tradeOf('BTC-USD', price)])
    quotes.follow('live', [btc])
    await terminal.settle()
    await trade(1)
    expect(quotes.row(btc)?.last).toBe(1)
    terminal.link(false)
    await trade(2)
    expect(quotes.row(btc)?.last).toBe(1)
    terminal.link(true)
    await terminal.settle()
    expect(quotes.row(btc)?.last).toBe(2)
    terminal.endStream('quotes', { code: 'offline', message: 'Gone.' })
    expect(quotes.problem?.code).toBe('offline')
    terminal.link(false)
    terminal.link(true)
    await terminal.settle()
    expect(terminal.argsOf('quotes')).toHaveLength(1)
    expect(quotes.problem).toBeNull()
    quotes.close()
    terminal.close()
  })
})

describe('Tape', () => {
  function start() {
    const transport = new TestTransport().serve('tape', () => ({
      reset: Array.from({ length: 400 }, (_, i) => makePrint(i + 1)),
      prints: [],
      skipped: 0,
      decimals: 2,
    }))
    const frame = frames()
    const tape = new Tape(transport, frame.request)
    tape.follow('live', btc)
    frame.step()
    let seq = 400
    const trade = (price: number, size = 1) =>
      transport.send('tape', {
        reset: null,
        prints: [makePrint(++seq, { price, size })],
        skipped: 0,
        decimals: 2,
      })
    return { trade, tape }
  }
  it('shows the newest on top', () => {
    const { trade, tape } = start()
    trade(77)
    expect(tape.at(0)?.price).toBe(77)
  })
  it('holds still while a reason is left, counts what is new, then shows it', () => {
    const { trade, tape } = start()
    const top = tape.at(0)
    tape.pause('hover')
    tape.pause('scroll')
    trade(77)
    trade(78)
    expect(tape.at(0)).toBe(top)
    expect(tape.fresh).toBe(2)
    tape.resume('hover')
    expect(tape.paused).toBe(true)
    tape.resume('scroll')
    expect(tape.paused).toBe(false)
    expect(tape.at(0)?.price).toBe(78)
    expect(tape.fresh).toBe(0)
  })
  it('lets Space end any hold', () => {
    const { tape } = start()
    tape.pause('hover')
    tape.toggle()
    expect(tape.paused).toBe(false)
    tape.toggle()
    expect(tape.paused).toBe(true)
  })
  it('filters by size, also what is already there', () => {
    const { trade, tape } = start()
    tape.setMinSize(50)
    expect(tape.count).toBe(0)
    trade(77, 60)
    trade(78, 2)
    expect(tape.count).toBe(1)
    tape.setMinSize(0)
    expect(tape.count).toBeGreaterThan(300)
  })
  it('stays bounded through a long burst', () => {
    const { trade, tape } = start()
    for (let i = 0; i < 10_000; i++) trade(100 + i)
    expect(tape.count).toBe(2_000)
    expect(tape.at(0)?.price).toBe(10_099)
  })
})

describe('SettingsState', () => {
  let terminal: WindowTerminal
  beforeEach(async () => {
    terminal = await WindowTerminal.start({ feeds: false, record: false })
  })
  afterEach(() => terminal.close())

  it('shows a change at once and ignores an older echo meanwhile', async () => {
    const settings = new SettingsState(terminal, () => undefined)
    await terminal.settle()
    settings.set({ zone: 'Asia/Tokyo' })
    settings.set({ zone: 'Europe/London' })
    expect(settings.now.zone).toBe('Europe/London')
    await terminal.settle()
    expect(terminal.callsOf('settings.set')).toHaveLength(2)
    expect(settings.now.zone).toBe('Europe/London')
    settings.close()
  })
  it('goes back to what is stored, and reports why, when the terminal refuses', async () => {
    terminal.answer('settings.set', () => {
      throw new CodedError('disk-error', 'The settings couldn’t be saved.')
    })
    const problems: string[] = []
    const settings = new SettingsState(terminal, (failure) => problems.push(failure.code))
    await terminal.settle()
    settings.set({ zone: 'Asia/Tokyo' })
    expect(settings.now.zone).toBe('Asia/Tokyo')
    await terminal.settle()
    expect(problems).toEqual(['disk-error'])
    expect(settings.now.zone).toBe('UTC')
    settings.close()
  })
})

describe('the live region', () => {
  it('says the first at once, then only the latest after a pause', () => {
    let now = 0
    const later: (() => void)[] = []
    const toasts = new Toasts(
      () => now,
      (run) => later.push(run),
    )
    toasts.say('one')
    toasts.say('two')
    toasts.say('three')
    expect(toasts.said).toBe('one')
    expect(later).toHaveLength(1)
    now = 2_500
    later[0]?.()
    expect(toasts.said).toBe('three')
  })
})

describe('the log', () => {
  const entry = (id: number, level: 'info' | 'error', text: string) =>
    ({ id, atMs: unixMs(0), level, from: 'feeds', text, detail: null }) as const
  it('filters by level and text, newest first, and copies oldest first', () => {
    const entries = [entry(1, 'info', 'open'), entry(2, 'error', 'Closed'), entry(3, 'error', 'other')]
    expect(filterLog(entries, 'error', '').map((one) => one.id)).toEqual([3, 2])
    expect(filterLog(entries, 'debug', 'clos').map((one) => one.id)).toEqual([2])
    expect(logText(filterLog(entries, 'debug', ''))).toBe(
      '1970-01-01T00:00:00.000Z\tinfo\tfeeds\topen\n1970-01-01T00:00:00.000Z\terror\tfeeds\tClosed\n1970-01-01T00:00:00.000Z\terror\tfeeds\tother',
    )
  })
})
