import { describe, expect, it, vi } from 'vitest'
import { FakeTerminal } from '../../fakes/fake-terminal.ts'
import { filterLog, logText } from '../../../../../src/renderer/core/log/log-lines.ts'
import { Quotes } from '../../../../../src/renderer/core/market/quotes.svelte.ts'
import { SettingsState } from '../../../../../src/renderer/core/window/settings.svelte.ts'
import { Tape } from '../../../../../src/renderer/features/tape/tape.svelte.ts'
import { Toasts } from '../../../../../src/renderer/ui/toasts.svelte.ts'
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

describe('Quotes', () => {
  it('paint once a frame however many messages came', () => {
    const fake = new FakeTerminal()
    const frame = frames()
    const quotes = new Quotes(fake, { frame: frame.request, painted: (run) => run() })
    quotes.follow('live', [btc, eth])
    frame.step()
    const version = quotes.version
    for (let i = 0; i < 1000; i++) fake.trade(i % 2 ? btc : eth, 100 + i)
    expect(quotes.version).toBe(version)
    expect(frame.waiting).toBe(1)
    frame.step()
    expect(quotes.version).toBe(version + 1)
    expect(quotes.row(btc)?.last).toBe(1099)
  })
  it('measure from receipt to paint, of new messages only', () => {
    const fake = new FakeTerminal({ nowMs: 1_000_000 })
    const frame = frames()
    let now = 1_000_000
    let visible = true
    const quotes = new Quotes(fake, {
      frame: frame.request,
      painted: (run) => run(),
      now: () => now,
      visible: () => visible,
    })
    quotes.follow('live', [btc])
    frame.step()
    expect(quotes.latency()).toBeUndefined()
    fake.nowMs = 1_000_500
    fake.trade(btc, 5)
    now = 1_000_507
    frame.step()
    expect(quotes.latency()).toMatchObject({ samples: 1, max: 7 })
    visible = false
    fake.nowMs = 1_000_600
    fake.trade(btc, 6)
    now = 1_009_000
    frame.step()
    expect(quotes.latency()).toMatchObject({ samples: 1, max: 7 })
  })
  it('keep known rows while another set is followed, and hold one stream', () => {
    const fake = new FakeTerminal()
    const frame = frames()
    const quotes = new Quotes(fake, { frame: frame.request })
    quotes.follow('live', [btc])
    quotes.follow('live', [eth, btc])
    quotes.follow('live', [btc, eth, btc])
    expect(fake.openStreams('quotes')).toBe(1)
    expect(quotes.row(btc)).toBeDefined()
    quotes.close()
    expect(fake.openStreams('quotes')).toBe(0)
  })
  it('come back after the link was lost', () => {
    const fake = new FakeTerminal()
    const quotes = new Quotes(fake, { frame: frames().request })
    quotes.follow('live', [btc])
    fake.link(false)
    expect(quotes.problem?.code).toBe('offline')
    fake.link(true)
    expect(fake.openStreams('quotes')).toBe(1)
    expect(quotes.problem).toBeNull()
    quotes.close()
  })
})

describe('Tape', () => {
  function start() {
    const fake = new FakeTerminal()
    const frame = frames()
    const tape = new Tape(fake, frame.request)
    tape.follow('live', btc)
    frame.step()
    return { fake, frame, tape }
  }
  it('shows the newest on top', () => {
    const { fake, tape } = start()
    fake.trade(btc, 77)
    expect(tape.at(0)?.price).toBe(77)
  })
  it('holds still while a reason is left, counts what is new, then shows it', () => {
    const { fake, tape } = start()
    const top = tape.at(0)
    tape.pause('hover')
    tape.pause('scroll')
    fake.trade(btc, 77)
    fake.trade(btc, 78)
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
    const { fake, tape } = start()
    tape.setMinSize(50)
    expect(tape.count).toBe(0)
    fake.trade(btc, 77, 60)
    fake.trade(btc, 78, 2)
    expect(tape.count).toBe(1)
    tape.setMinSize(0)
    expect(tape.count).toBeGreaterThan(300)
  })
  it('stays bounded through a long burst', () => {
    const { fake, tape } = start()
    for (let i = 0; i < 10_000; i++) fake.trade(btc, 100 + i)
    expect(tape.count).toBe(2_000)
    expect(tape.at(0)?.price).toBe(10_099)
  })
})

describe('SettingsState', () => {
  it('shows a change at once and ignores an older echo meanwhile', async () => {
    const fake = new FakeTerminal()
    const settings = new SettingsState(fake, () => undefined)
    settings.set({ zone: 'Asia/Tokyo' })
    settings.set({ zone: 'Europe/London' })
    expect(settings.now.zone).toBe('Europe/London')
    await vi.waitFor(() => expect(fake.calls.filter((call) => call.name === 'settings.set')).toHaveLength(2))
    await Promise.resolve()
    expect(settings.now.zone).toBe('Europe/London')
    settings.close()
  })
  it('goes back to what is stored, and tells, when the terminal refuses', async () => {
    const fake = new FakeTerminal({
      faults: { failing: { 'settings.set': { code: 'disk-error', message: 'The settings could not be stored.' } } },
    })
    const problems: string[] = []
    const settings = new SettingsState(fake, (failure) => problems.push(failure.code))
    settings.set({ zone: 'Asia/Tokyo' })
    await vi.waitFor(() => expect(problems).toEqual(['disk-error']))
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
