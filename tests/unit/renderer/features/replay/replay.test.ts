import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePrint } from '../../../../kit/market.ts'
import { START_MS } from '../../../../kit/terminal-messages.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import type { ReplayState } from '../../../../../src/shared/features/replay/replay.ts'
import {
  exactnessText,
  gapText,
  spanText,
  speedAfter,
  speedText,
} from '../../../../../src/renderer/text/replay-labels.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, replaysOf, serviceOf } from '../../open-window.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { instrumentId, sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { tape as tapeFeature } from '../../../../../src/renderer/features/tape/feature.ts'

let terminal: WindowTerminal
let app: WindowState
/** The session that was recorded before; another one is running. */
let session: string
let queue: (() => void)[] = []
const frame = () => {
  const now = queue
  queue = []
  for (const run of now) run()
}
beforeAll(async () => {
  terminal = await WindowTerminal.start()
  await terminal.control('recordSession')
  ;[{ session }] = await terminal.ask('sessions.list', {})
})
afterAll(() => terminal.close())
beforeEach(async () => {
  vi.useFakeTimers({ now: START_MS })
  app = openWindow(terminal, { frame: (run) => void queue.push(run), painted: (run) => run() })
  await terminal.settle()
  follow()
  await terminal.control('pass', 1_000) // as long as a read of the store may wait for a commit
})
afterEach(() => {
  app.close()
  terminal.reset()
  vi.useRealTimers()
})
/** Opens the recorded session, ten seconds after its start. */
async function open(): Promise<void> {
  await replaysOf(app).open([session], null)
  await terminal.settle()
}
/** Changes the state that the stream of replays sends. */
function change(patch: Partial<ReplayState>): void {
  terminal.alter('replay', (state) => ({ ...state, ...patch }))
}
/** What the frame does when the view changed. */
function follow(): void {
  app.followQuotes()
  serviceOf(app, tapeFeature).follow(app.view, app.instrument)
}

describe('a replay in the window', () => {
  it('is the view of everything the market shows, and live again after', async () => {
    await open()
    const { view } = app
    expect(view).not.toBe('live')
    follow()
    for (const name of ['quotes', 'tape'] as const) expect(terminal.argsOf(name).map((one) => one.view)).toEqual([view])
    // The live status stays, because recording continues.
    expect(terminal.argsOf('status').map((one) => one.view)).toEqual(['live', view])
    replaysOf(app).backToLive()
    follow()
    expect(terminal.argsOf('quotes').map((one) => one.view)).toEqual(['live'])
    expect(terminal.argsOf('status').map((one) => one.view)).toEqual(['live'])
    expect(terminal.argsOf('replay')).toEqual([])
    expect(terminal.callsOf('replay.close')).toEqual([{ id: view }])
  })
  it('never shows a price of the other view', async () => {
    frame()
    expect(app.quotes.row(app.instrument)?.last).toBe(119)
    await open()
    follow() // the new streams have sent nothing yet
    expect(app.quotes.row(app.instrument)).toBeUndefined()
    expect(serviceOf(app, tapeFeature).count).toBe(0)
  })
  it('has its own clock, while the wall clock runs on', async () => {
    await open()
    const from = app.replaying?.nowMs
    const { wallMs } = app
    expect(app.nowMs).toBe(from)
    replaysOf(app).current.play(true)
    await terminal.control('pass', 5_000)
    await vi.advanceTimersByTimeAsync(250)
    const played = app.nowMs - (from ?? 0)
    expect(played).toBeGreaterThan(4_000)
    expect(played).toBeLessThanOrEqual(5_000)
    // Timers of this test are fake: the wall clock ticked as they did.
    expect(app.wallMs).toBeGreaterThan(wallMs)
    replaysOf(app).backToLive()
    expect(app.nowMs).toBe(Date.now())
  })
  it('does not let anything flash across a change of view or a jump', async () => {
    const first = app.epoch
    await open()
    expect(app.epoch).toBeGreaterThan(first)
    const second = app.epoch
    replaysOf(app).current.seek({ at: 'end' })
    expect(app.epoch).toBeGreaterThan(second)
    await terminal.settle()
    replaysOf(app).current.seek({ at: 'ms', ms: (app.replaying?.fromMs ?? 0) + 10_000 })
    await terminal.settle()
    const third = app.epoch
    replaysOf(app).current.play(true)
    await terminal.control('pass', 500)
    expect(app.replaying?.nowMs).toBeGreaterThan((app.replaying?.fromMs ?? 0) + 10_000)
    expect(app.epoch).toBe(third)
    change({ nowMs: app.replaying?.fromMs ?? unixMs(0) })
    expect(app.epoch).toBeGreaterThan(third)
  })
  /** Opens the session at its end, with the tape that was received until then. */
  const openAtEnd = async () => {
    await open()
    replaysOf(app).current.seek({ at: 'end' })
    follow()
    await terminal.settle()
    return serviceOf(app, tapeFeature)
  }
  it('shows the tape as of its clock after a jump back, also while it is paused', async () => {
    const tape = await openAtEnd()
    tape.pause('hover')
    expect(tape.count).toBe(20)
    replaysOf(app).current.seek({ at: 'start' })
    await terminal.settle()
    expect(tape.count).toBe(0)
  })
  it('removes later prints and quotes as soon as its clock goes back, before their stream does', async () => {
    const tape = await openAtEnd()
    const newest = tape.latestMs
    frame()
    expect(app.quotes.row(app.instrument)?.last).toBeDefined()
    change({ nowMs: unixMs(newest) })
    const before = tape.count
    change({ nowMs: unixMs(newest - 60_000) })
    frame()
    expect(app.quotes.row(app.instrument)).toBeUndefined()
    expect(tape.count).toBeGreaterThan(0)
    expect(tape.count).toBeLessThan(before)
    expect(tape.latestMs).toBeLessThanOrEqual(newest - 60_000)
  })
  it('shows no earlier time than that of the newest print', async () => {
    const tape = await openAtEnd()
    const newest = tape.latestMs
    change({ playing: true, nowMs: unixMs(newest - 40) })
    // The stream of prints is a frame ahead of the clock.
    terminal.send('tape', {
      reset: null,
      prints: [makePrint(999, { recvMs: unixMs(newest) })],
      skipped: 0,
      decimals: 2,
    })
    expect(app.clockMs).toBe(newest)
    change({ playing: false, nowMs: unixMs(newest - 40) })
    expect(app.clockMs).toBe(newest - 40)
  })
  it('has one seek under way and then makes the latest one', async () => {
    await open()
    const { fromMs } = app.replaying ?? { fromMs: 0 }
    for (let i = 1; i <= 50; i++) replaysOf(app).current.seek({ at: 'ms', ms: fromMs + i * 1_000 })
    expect(replaysOf(app).current.cursorMs).toBe(fromMs + 50_000)
    await terminal.settle()
    expect(terminal.callsOf('replay.seek')).toHaveLength(2)
    expect(app.replaying?.nowMs).toBe(fromMs + 50_000)
    expect(replaysOf(app).current.aimMs).toBeNull()
  })
  it('steps from where a seek that still waits will end, rather than instead of it', async () => {
    await open()
    const replay = replaysOf(app).current
    const { fromMs } = app.replaying ?? { fromMs: 0 }
    replay.seek({ at: 'end' })
    replay.seek({ at: 'ms', ms: fromMs + 5_000 })
    for (let i = 0; i < 2; i++) replay.step('second', true, '1s', 'crypto')
    await terminal.settle()
    expect(app.replaying?.nowMs).toBe(fromMs + 6_000)
    expect(replay.aimMs).toBeNull()
  })
  it('is over at its end only once its session is no longer recorded', async () => {
    const live = (await terminal.ask('sessions.list', {})).find((row) => row.live)
    await replaysOf(app).open([live?.session ?? ''], null)
    replaysOf(app).current.seek({ at: 'end' })
    await terminal.settle()
    expect([app.atEnd, app.isOver]).toEqual([true, false])
    await terminal.ask('recording.set', { on: false })
    await terminal.control('pass', 10_000)
    replaysOf(app).current.seek({ at: 'end' })
    await terminal.settle()
    expect([app.atEnd, app.isOver]).toEqual([true, true])
    await terminal.ask('recording.set', { on: true })
  })
  it('says that it couldn’t be opened, not that it can’t go on, if its start is corrupt', async () => {
    const corrupt = () => {
      throw new CodedError('store-damaged', 'Stored messages dated 2026-01-05T14:30:00.000Z are corrupt.')
    }
    terminal.answer('replay.open', corrupt)
    await open()
    expect(app.replaying).toBeNull()
    expect(app.toasts.list.at(-1)?.text).toBe(
      'The replay couldn’t be opened. Stored messages dated 05 Jan 2026 14:30:00.000 UTC are corrupt.',
    )
    terminal.reset()
    await open()
    terminal.answer('replay.seek', corrupt)
    replaysOf(app).current.seek({ at: 'end' })
    await terminal.settle()
    expect(app.toasts.list.at(-1)?.text).toMatch(/^The replay can’t continue past this point\./)
  })
  it('knows what was not recorded in it', async () => {
    await open()
    const { current } = replaysOf(app)
    expect(await current.lacks(instrumentId('crypto', 'BTC-USD'))).toBe(false)
    expect(await current.lacks(instrumentId('stocks', 'NEVER'))).toBe(true)
    expect(await current.lacks(instrumentId('crypto', 'NEVER'))).toBe(true)
  })
  it('seeks only within the recording', async () => {
    await open()
    replaysOf(app).current.seek({ at: 'ms', ms: 0 })
    expect(terminal.callsOf('replay.seek').at(-1)).toMatchObject({ to: { ms: app.replaying?.fromMs } })
  })
  it('loops a range whose ends are set one by one', async () => {
    await open()
    const { fromMs, toMs } = app.replaying ?? { fromMs: 0, toMs: 0 }
    replaysOf(app).current.seek({ at: 'ms', ms: fromMs + 60_000 })
    await terminal.settle()
    replaysOf(app).current.loopEdge('from')
    await terminal.settle()
    expect(app.replaying?.loop).toEqual({ fromMs: fromMs + 60_000, toMs })
    replaysOf(app).current.seek({ at: 'ms', ms: fromMs + 90_000 })
    await terminal.settle()
    replaysOf(app).current.loopEdge('to')
    await terminal.settle()
    expect(app.replaying?.loop).toEqual({ fromMs: fromMs + 60_000, toMs: fromMs + 90_000 })
    replaysOf(app).current.setLoop({ fromMs: fromMs + 5, toMs: fromMs })
    await terminal.settle()
    expect(app.replaying?.loop).toBeNull()
  })
  it('adds a bookmark at the time when it was asked for', async () => {
    await open()
    const then = app.replaying
    replaysOf(app).current.step('second', true, '1m', 'crypto')
    await terminal.settle()
    if (!then) throw new Error('no replay')
    expect(app.replaying?.nowMs).toBe(then.nowMs + 1_000)
    expect(await replaysOf(app).current.addBookmark('  opening  ', then)).toBe(true)
    expect(replaysOf(app).current.bookmarks).toMatchObject([{ atMs: then.nowMs, text: 'opening', session }])
    const [bookmark] = replaysOf(app).current.bookmarks
    await replaysOf(app).current.removeBookmark(bookmark)
    expect(replaysOf(app).current.bookmarks).toEqual([])
  })
  it('plays from the start again once it has ended', async () => {
    await open()
    replaysOf(app).current.seek({ at: 'ms', ms: (app.replaying?.toMs ?? 0) - 1_000 })
    await terminal.settle()
    replaysOf(app).current.play(true)
    await terminal.settle()
    await terminal.control('pass', 2_000)
    expect(app.replaying).toMatchObject({ ended: true, playing: false })
    replaysOf(app).current.toggle()
    await terminal.settle()
    expect(app.replaying).toMatchObject({ nowMs: app.replaying?.fromMs, playing: true, ended: false })
  })
  it('says why it couldn’t be opened, and stays live', async () => {
    await replaysOf(app).open(['gone'], null)
    expect(app.view).toBe('live')
    expect(replaysOf(app).current.opening).toBe(false)
    expect(app.toasts.list.at(-1)).toMatchObject({ tone: 'bad', text: expect.stringContaining('session') })
  })
  it('closes what was opened if another view was chosen meanwhile', async () => {
    const opening = replaysOf(app).open([session], null)
    replaysOf(app).current.close()
    await opening
    expect(app.view).toBe('live')
    expect(terminal.callsOf('replay.close')).toHaveLength(1)
  })
  it('opens the newest session that has ended', async () => {
    await replaysOf(app).openLatest()
    expect(app.replaying?.sessions.map((one) => one.session)).toEqual([session])
  })
  it('reopens at the same time after the terminal has restarted', async () => {
    await open()
    const { view } = app
    replaysOf(app).current.step('second', true, '1m', 'crypto')
    await terminal.settle()
    const at = app.replaying?.nowMs
    await terminal.restart()
    expect(app.view).not.toBe(view)
    expect(app.view).not.toBe('live')
    expect(app.replaying?.nowMs).toBe(at)
  })
})

describe('labels of a replay', () => {
  it('step through the speeds on offer', () => {
    expect([
      speedAfter(1, 1),
      speedAfter(1, -1),
      speedAfter(1000, 1),
      speedAfter('max', 1),
      speedAfter(0.25, -1),
    ]).toEqual([2, 0.5, 'max', 'max', 0.25])
    expect([speedAfter(3, 1), speedAfter(3, -1)]).toEqual([5, 2])
    expect([speedText(0.25), speedText('max')]).toEqual(['0.25\u00D7', 'max'])
  })
  it('distinguish exactness', () => {
    expect(exactnessText({ is: 'identical', minutes: 1 }, 'UTC').text).toBe('identical \u2713 1 minute')
    expect(exactnessText({ is: 'identical', minutes: 12 }, 'UTC')).toMatchObject({
      text: 'identical \u2713 12 minutes',
      tone: 'ok',
    })
    const differs = exactnessText(
      { is: 'differs', minuteMs: unixMs(34_260_000), seq: 77, live: 'a'.repeat(64), replay: 'b'.repeat(64) },
      'UTC',
    )
    expect(differs).toMatchObject({ text: 'differs at 09:31:00', tone: 'bad' })
    expect(differs.explanation).toContain('entry 77')
    expect(exactnessText({ is: 'not comparable', why: 'Another version.' }, 'UTC').explanation).toBe('Another version.')
  })
  it('give length and cause of a gap', () => {
    expect([850, 4_250, 200_000, 7_500_000, 90_000_000, 180_000].map(spanText)).toEqual([
      '850 ms',
      '4.2 s',
      '3 min 20 s',
      '2 h 5 min',
      '1 d 1 h',
      '3 min',
    ])
    const gap = {
      session: sessionId('a'),
      feed: 'crypto/XT',
      symbols: [],
      cause: 'drop',
      fromSeq: 1,
      toSeq: 2,
    } as const
    expect(gapText({ ...gap, fromMs: unixMs(86_400_000), toMs: unixMs(86_404_200) }, 'UTC')).toBe(
      'connection lost \u00B7 crypto/XT \u00B7 00:00:00 for 4.2 s',
    )
  })
})
