import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeTerminal } from '../../fakes/fake-terminal.ts'
import {
  exactnessText,
  gapText,
  spanText,
  speedAfter,
  speedText,
} from '../../../../../src/renderer/text/replay-labels.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, replaysOf, serviceOf } from '../../open-window.ts'
import { recordingId, unixMs } from '../../../../../src/shared/base/units.ts'
import { tape as tapeFeature } from '../../../../../src/renderer/features/tape/feature.ts'

const SESSION = '01jbq1a2recording'
let fake: FakeTerminal
let app: WindowState
let queue: (() => void)[] = []
const frame = () => {
  const now = queue
  queue = []
  for (const run of now) run()
}
beforeEach(() => {
  vi.useFakeTimers()
  fake = new FakeTerminal()
  app = openWindow(fake, { frame: (run) => void queue.push(run), painted: (run) => run() })
  app.followQuotes()
  serviceOf(app, tapeFeature).follow(app.view, app.instrument)
})
afterEach(() => {
  app.close()
  vi.useRealTimers()
})
/** What the frame does when the view changed. */
function follow(): void {
  app.followQuotes()
  serviceOf(app, tapeFeature).follow(app.view, app.instrument)
}
const asked = (name: string) => fake.calls.filter((call) => call.name === name)

describe('a replay in the window', () => {
  it('is the view of everything the market shows, and live again after', async () => {
    await replaysOf(app).open([SESSION], null)
    expect(app.view).toBe('replay-1')
    follow()
    for (const name of ['quotes', 'tape'] as const)
      expect(fake.argsOf(name).map((one) => one.view)).toEqual(['replay-1'])
    // The live status stays: recording goes on underneath.
    expect(fake.argsOf('status').map((one) => one.view)).toEqual(['live', 'replay-1'])
    replaysOf(app).backToLive()
    follow()
    expect(fake.argsOf('quotes').map((one) => one.view)).toEqual(['live'])
    expect(fake.argsOf('status').map((one) => one.view)).toEqual(['live'])
    expect(fake.openStreams('replay')).toBe(0)
    expect(asked('replay.close').map((call) => call.args)).toEqual([{ id: 'replay-1' }])
  })
  it('never shows a price of the other view', async () => {
    frame()
    expect(app.quotes.row(app.instrument)?.last).toBeGreaterThan(0)
    await replaysOf(app).open([SESSION], null)
    // The new stream has nothing to tell yet.
    vi.spyOn(fake, 'subscribe').mockReturnValue(() => undefined)
    follow()
    expect(app.quotes.row(app.instrument)).toBeUndefined()
    expect(serviceOf(app, tapeFeature).count).toBe(0)
  })
  it('wears its own clock, while the wall clock runs on', async () => {
    await replaysOf(app).open([SESSION], null)
    const from = app.replaying?.nowMs
    const { wallMs } = app
    expect(app.nowMs).toBe(from)
    replaysOf(app).current.play(true)
    await vi.advanceTimersByTimeAsync(1)
    fake.replay.change({ nowMs: unixMs((from ?? 0) + 5_000) })
    await vi.advanceTimersByTimeAsync(250)
    expect(app.nowMs).toBe((from ?? 0) + 5_000)
    // Timers of this test are fake: the wall clock ticked as they did.
    expect(app.wallMs).toBeGreaterThan(wallMs)
    replaysOf(app).backToLive()
    expect(app.nowMs).toBe(Date.now())
  })
  it('does not let anything flash across a change of view or a jump', async () => {
    const first = app.epoch
    await replaysOf(app).open([SESSION], null)
    expect(app.epoch).toBeGreaterThan(first)
    const second = app.epoch
    replaysOf(app).current.seek({ at: 'end' })
    expect(app.epoch).toBeGreaterThan(second)
    await vi.advanceTimersByTimeAsync(1)
    const third = app.epoch
    fake.replay.change({ nowMs: unixMs((app.replaying?.nowMs ?? 0) + 40) })
    expect(app.epoch).toBe(third)
    fake.replay.change({ nowMs: app.replaying?.fromMs ?? unixMs(0) })
    expect(app.epoch).toBeGreaterThan(third)
  })
  it('shows the tape as of its clock after a jump back, also where it was held', async () => {
    await replaysOf(app).open([SESSION], null)
    follow()
    serviceOf(app, tapeFeature).pause('hover')
    const [tape] = [...fake.argsOf('tape')]
    expect(tape?.view).toBe('replay-1')
    const before = serviceOf(app, tapeFeature).count
    expect(before).toBeGreaterThan(0)
    // As after a seek to before the first print.
    fake.resetTape()
    expect(serviceOf(app, tapeFeature).count).toBe(0)
  })
  it('takes prints of its future away as soon as its clock goes back, before their stream tells', async () => {
    await replaysOf(app).open([SESSION], null)
    follow()
    const newest = serviceOf(app, tapeFeature).latestMs
    fake.replay.change({ nowMs: unixMs(newest) })
    const before = serviceOf(app, tapeFeature).count
    fake.replay.change({ nowMs: unixMs(newest - 60_000) })
    expect(serviceOf(app, tapeFeature).count).toBeGreaterThan(0)
    expect(serviceOf(app, tapeFeature).count).toBeLessThan(before)
    expect(serviceOf(app, tapeFeature).latestMs).toBeLessThanOrEqual(newest - 60_000)
  })
  it('tells no earlier time than that of a print which is already there', async () => {
    await replaysOf(app).open([SESSION], null)
    const from = app.replaying?.nowMs ?? 0
    follow()
    fake.replay.change({
      playing: true,
      nowMs: unixMs(from + 40),
      toMs: unixMs(serviceOf(app, tapeFeature).latestMs + 1_000),
    })
    expect(app.clockMs).toBe(serviceOf(app, tapeFeature).latestMs)
    fake.replay.change({ playing: false })
    expect(app.clockMs).toBe(from + 40)
  })
  it('keeps one move under way and the latest wish', async () => {
    await replaysOf(app).open([SESSION], null)
    const { fromMs } = app.replaying ?? { fromMs: 0 }
    for (let i = 1; i <= 50; i++) replaysOf(app).current.seek({ at: 'ms', ms: fromMs + i * 1_000 })
    expect(replaysOf(app).current.cursorMs).toBe(fromMs + 50_000)
    await vi.advanceTimersByTimeAsync(1)
    expect(asked('replay.seek')).toHaveLength(2)
    expect(app.replaying?.nowMs).toBe(fromMs + 50_000)
    expect(replaysOf(app).current.aimMs).toBeNull()
  })
  it('seeks within the recording only', async () => {
    await replaysOf(app).open([SESSION], null)
    replaysOf(app).current.seek({ at: 'ms', ms: 0 })
    expect(asked('replay.seek').at(-1)?.args).toMatchObject({ to: { ms: app.replaying?.fromMs } })
  })
  it('loops a range whose ends are set one by one', async () => {
    await replaysOf(app).open([SESSION], null)
    const { fromMs, toMs } = app.replaying ?? { fromMs: 0, toMs: 0 }
    replaysOf(app).current.seek({ at: 'ms', ms: fromMs + 60_000 })
    await vi.advanceTimersByTimeAsync(1)
    replaysOf(app).current.loopEdge('from')
    expect(app.replaying?.loop).toEqual({ fromMs: fromMs + 60_000, toMs })
    replaysOf(app).current.seek({ at: 'ms', ms: fromMs + 90_000 })
    await vi.advanceTimersByTimeAsync(1)
    replaysOf(app).current.loopEdge('to')
    expect(app.replaying?.loop).toEqual({ fromMs: fromMs + 60_000, toMs: fromMs + 90_000 })
    replaysOf(app).current.setLoop({ fromMs: fromMs + 5, toMs: fromMs })
    expect(app.replaying?.loop).toBeNull()
  })
  it('keeps bookmarks at the moment they were asked for', async () => {
    await replaysOf(app).open([SESSION], null)
    const then = app.replaying
    replaysOf(app).current.step('second', true, '1m', 'crypto')
    await vi.advanceTimersByTimeAsync(1)
    if (!then) throw new Error('no replay')
    expect(await replaysOf(app).current.addBookmark('  opening  ', then)).toBe(true)
    expect(replaysOf(app).current.bookmarks).toMatchObject([{ atMs: then.nowMs, text: 'opening', session: SESSION }])
    const [bookmark] = replaysOf(app).current.bookmarks
    if (!bookmark) throw new Error('no bookmark')
    await replaysOf(app).current.removeBookmark(bookmark)
    expect(replaysOf(app).current.bookmarks).toEqual([])
  })
  it('plays from the start again once it has ended', async () => {
    await replaysOf(app).open([SESSION], null)
    replaysOf(app).current.seek({ at: 'end' })
    await vi.advanceTimersByTimeAsync(1)
    fake.replay.change({ ended: true })
    replaysOf(app).current.toggle()
    await vi.advanceTimersByTimeAsync(1)
    expect(app.replaying).toMatchObject({ nowMs: app.replaying?.fromMs, playing: true })
  })
  it('says why it could not be opened, and stays live', async () => {
    fake.faults = { failing: { 'replay.open': { code: 'not-found', message: 'There is no such session.' } } }
    await replaysOf(app).open(['gone'], null)
    expect(app.view).toBe('live')
    expect(replaysOf(app).current.opening).toBe(false)
    expect(app.toasts.list.at(-1)).toMatchObject({ tone: 'bad', text: 'There is no such session.' })
  })
  it('closes what was opened when something else was asked for meanwhile', async () => {
    const opening = replaysOf(app).open([SESSION], null)
    replaysOf(app).current.close()
    await opening
    expect(app.view).toBe('live')
    expect(asked('replay.close')).toHaveLength(1)
  })
  it('is taken up where it stood when the terminal began anew', async () => {
    await replaysOf(app).open([SESSION], null)
    replaysOf(app).current.step('bar', true, '1m', 'crypto')
    await vi.advanceTimersByTimeAsync(1)
    const at = app.replaying?.nowMs
    fake.endStream('replay', { code: 'not-found', message: 'There is no such replay.' })
    await vi.advanceTimersByTimeAsync(1)
    expect(app.view).toBe('replay-2')
    expect(app.replaying?.nowMs).toBe(at)
  })
  it('replays the newest session that has ended', async () => {
    await replaysOf(app).openLatest()
    expect(app.replaying?.sessions.map((one) => one.session)).toEqual([SESSION])
  })
})

describe('words of a replay', () => {
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
  it('tell exactness apart', () => {
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
  it('say how long and why', () => {
    expect([850, 4_250, 200_000, 7_500_000, 90_000_000, 180_000].map(spanText)).toEqual([
      '850 ms',
      '4.2 s',
      '3 min 20 s',
      '2 h 5 min',
      '1 d 1 h',
      '3 min',
    ])
    const gap = {
      recording: recordingId('a'),
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
