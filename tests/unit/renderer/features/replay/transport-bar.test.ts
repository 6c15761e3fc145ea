import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import BookmarkDialog from '../../../../../src/renderer/features/replay/BookmarkDialog.svelte'
import GoPanel from '../../../../../src/renderer/features/replay/GoPanel.svelte'
import ServePanel from '../../../../../src/renderer/features/replay/ServePanel.svelte'
import JumpDialog from '../../../../../src/renderer/features/replay/JumpDialog.svelte'
import TransportBar from '../../../../../src/renderer/features/replay/TransportBar.svelte'
import StatusBar from '../../../../../src/renderer/core/frame/StatusBar.svelte'
import TopBar from '../../../../../src/renderer/core/frame/TopBar.svelte'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { paintTimeline } from '../../../../../src/renderer/features/replay/paint-timeline.ts'
import { recordingContext, type Painted } from '../../charts/recording-canvas.ts'
import { Zone } from '../../../../../src/renderer/text/zone.ts'
import { openWindow, render, replaysOf } from '../../open-window.ts'
import type { CallName } from '../../../../../src/shared/contracts.ts'
import type { ReplayState, ServedReplay } from '../../../../../src/shared/features/replay/replay.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'

let app: WindowState | undefined
let terminal: WindowTerminal
beforeAll(async () => {
  terminal = await WindowTerminal.start()
  await terminal.control('recordSession')
})
afterAll(() => terminal.close())
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
  changes = {}
  terminal.reset()
})
/** A window with a replay of two minutes of BTC-USD, during which the feed of quotes was interrupted. */
async function open() {
  const state = openWindow(terminal)
  app = state
  await terminal.settle()
  await replaysOf(state).openLatest()
  replaysOf(state).current.seek({ at: 'start' })
  await terminal.settle()
  return { state }
}
/** Changes the state that the stream of replays sends. */
function change(patch: Partial<ReplayState>): void {
  changes = { ...changes, ...patch }
  terminal.alter('replay', (state) => ({ ...state, ...changes }))
}
let changes: Partial<ReplayState> = {}
const last = <K extends CallName>(name: K) => terminal.callsOf(name).at(-1)
const timeline = () => screen.getByRole('slider', { name: 'Replay position' })

describe('the transport bar', () => {
  it('plays, steps by what was chosen, and changes speed', async () => {
    const { state } = await open()
    render(TransportBar, { app: state })
    await fireEvent.click(screen.getByRole('button', { name: 'Play' }))
    expect(last('replay.play')).toMatchObject({ on: true })
    await vi.waitFor(() => screen.getByRole('button', { name: 'Pause' }))
    await fireEvent.change(screen.getByRole('combobox', { name: 'Step by' }), { target: { value: 'bar' } })
    await fireEvent.click(screen.getByRole('button', { name: 'Forward one bar' }))
    expect(last('replay.step')).toMatchObject({ by: 'bar', forward: true, interval: '1s', asset: 'crypto' })
    await fireEvent.change(screen.getByRole('combobox', { name: 'Speed' }), { target: { value: 'max' } })
    expect(last('replay.speed')).toMatchObject({ speed: 'max' })
    await fireEvent.click(screen.getByRole('button', { name: 'Back to live' }))
    expect(state.view).toBe('live')
    expect(screen.queryByRole('region', { name: 'Replay' })).toBeNull()
  })
  it.each([
    ['button', 'Play'],
    ['input', null],
  ] as const)('opened from a %s, Space plays: the focus goes to %s', async (tag, name) => {
    const from = document.body.appendChild(document.createElement(tag))
    from.focus()
    const { state } = await open()
    render(TransportBar, { app: state })
    await tick()
    expect(document.activeElement).toBe(name === null ? from : screen.getByRole('button', { name }))
    from.remove()
  })
  it('shows a speed that is not on the list as well', async () => {
    const { state } = await open()
    change({ speed: 3 })
    render(TransportBar, { app: state })
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Speed' }).selectedOptions[0]?.text).toBe('3\u00D7')
  })
  it('shows the time to the millisecond, and whether the replay is exact', async () => {
    const { state } = await open()
    render(TransportBar, { app: state })
    change({
      nowMs: unixMs(Date.UTC(2026, 10, 4, 13, 1, 2, 345)),
      exactness: { is: 'identical', minutes: 3 },
    })
    await tick()
    expect(screen.getByTestId('replay-clock').textContent).toMatch(/13:01:02\.345\s+UTC/)
    expect(screen.getByTestId('exactness').textContent).toBe('identical \u2713 3 minutes')
    change({
      exactness: { is: 'differs', minuteMs: unixMs(Date.UTC(2026, 10, 4, 13, 1)), seq: 9, live: 'a', replay: 'b' },
    })
    await tick()
    expect(screen.getByTestId('exactness').textContent).toBe('differs at 13:01:00')
  })
  it('is a slider that gives its position as text, and is silent while it plays', async () => {
    const { state } = await open()
    render(TransportBar, { app: state })
    await tick()
    const from = state.replaying?.fromMs ?? 0
    expect(timeline().getAttribute('aria-valuenow')).toBe('0')
    expect(timeline().getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d:\d\d\.\d{3} UTC, Wed 4 Nov 2026$/)
    change({ nowMs: unixMs(from + 2_500) })
    await tick()
    expect(timeline().getAttribute('aria-valuenow')).toBe('2.5')
    change({ playing: true })
    for (let i = 1; i <= 20; i++) {
      change({ nowMs: unixMs(from + 2_500 + i * 16) })
      await tick()
    }
    expect(timeline().getAttribute('aria-valuenow')).toBe('2.5')
    change({ playing: false })
    await tick()
    expect(timeline().getAttribute('aria-valuenow')).toBe('2.82')
  })
})

describe('the Go panel', () => {
  it('lists gaps with cause and length, goes to them, and edits bookmarks', async () => {
    const { state } = await open()
    const close = vi.fn()
    render(GoPanel, { app: state, close })
    const gaps = screen.getByRole('list', { name: 'Gaps' })
    const lost = within(gaps).getByRole('button', { name: /crypto\/XQ: connection lost/ })
    expect(lost.textContent).toMatch(/, [\d.]+ m?s$/)
    await fireEvent.click(lost)
    expect(last('replay.seek')).toMatchObject({ to: { at: 'ms' } })
    expect(close).toHaveBeenCalled()
    const at = state.replaying
    if (at) await replaysOf(state).current.addBookmark('halt', at)
    await tick()
    const bookmarks = screen.getByRole('list', { name: 'Bookmarks' })
    expect(bookmarks.textContent).toContain('halt')
    await fireEvent.click(within(bookmarks).getByRole('button', { name: /^Remove bookmark at / }))
    await vi.waitFor(() => expect(screen.getByRole('list', { name: 'Bookmarks' }).textContent).toContain('None yet'))
    await vi.waitFor(() => expect(state.toasts.list.at(-1)?.action?.label).toBe('Undo'))
    state.toasts.list.at(-1)?.action?.run()
    await vi.waitFor(() => expect(screen.getByRole('list', { name: 'Bookmarks' }).textContent).toContain('halt'))
  })
})

describe('a loop', () => {
  it('is said as its edges are set, and when it is cleared', async () => {
    const { state } = await open()
    const said = () => state.toasts.list.at(-1)?.text
    state.run('replay-loop-off')
    expect(said()).toBeUndefined()
    state.run('replay-loop-from')
    expect(said()).toMatch(/^Looping [\d:.]+ to [\d:.]+ \(.+\)\.$/)
    await vi.waitFor(() => expect(state.replaying?.loop).not.toBeNull())
    state.run('replay-loop-off')
    expect(said()).toBe('Loop cleared.')
  })
  it('can be seen on the timeline beside the cursor, however short it is', () => {
    const painted: Painted[] = []
    const span = { fromMs: 0, toMs: 10_800_000 }
    const colours = { page: '', line: '', rest: '', text: '', dim: '', replay: '', warn: '', accent: 'loop' }
    paintTimeline(
      recordingContext((one) => painted.push(one)),
      {
        ...{
          span,
          width: 500,
          height: 60,
          data: null,
          sessions: [],
          colours,
          hoverX: null,
          zone: new Zone('UTC'),
          textScale: 1,
        },
        ...{ loop: { fromMs: 5_400_000, toMs: 5_405_000 }, cursorMs: 5_402_000 },
      },
    )
    const edges = painted.filter(({ color, at }) => color === 'loop' && at[2] === 2).map(({ at }) => at[0])
    expect(edges).toHaveLength(2)
    expect(edges[0]).toBeLessThan(250 - 5)
    expect(edges[1]).toBeGreaterThan(250 + 5 - 1)
  })
})

describe('going to a time', () => {
  it('reads while it is typed, explains what cannot be, and goes', async () => {
    const { state } = await open()
    const onclose = vi.fn()
    render(JumpDialog, { app: state, onclose })
    const box = screen.getByRole('textbox', { name: /^Time \(in UTC/ })
    await fireEvent.input(box, { target: { value: '99:99' } })
    expect(screen.queryByRole('alert')).toBeNull()
    await fireEvent.keyDown(box, { key: 'Enter' })
    expect(screen.getByRole('alert').textContent).toContain('Hours go up to 23')
    expect(onclose).not.toHaveBeenCalled()
    await fireEvent.input(box, { target: { value: '+90s' } })
    await fireEvent.keyDown(box, { key: 'Enter' })
    expect(last('replay.seek')).toMatchObject({
      to: { at: 'ms', ms: (state.replaying?.fromMs ?? 0) + 90_000 },
    })
    expect(onclose).toHaveBeenCalledOnce()
  })
})

describe('adding a bookmark', () => {
  it('uses the time when it was asked for', async () => {
    const { state } = await open()
    const asked = state.replaying?.nowMs ?? 0
    render(BookmarkDialog, { app: state, onclose: () => undefined })
    change({ nowMs: unixMs(asked + 60_000) })
    const box = screen.getByRole('textbox', { name: 'Note' })
    await fireEvent.input(box, { target: { value: 'first print' } })
    await fireEvent.keyDown(box, { key: 'Enter' })
    await vi.waitFor(() => expect(last('bookmarks.add')).toMatchObject({ atMs: asked, text: 'first print' }))
  })
})

describe('the frame of a replay', () => {
  it('says REPLAY, and that live recording continues', async () => {
    const { state } = await open()
    render(TopBar, { app: state })
    expect(screen.getByRole('button', { name: /^Source: This is a replay/ }).textContent).toContain('REPLAY')
    expect(screen.getByRole('button', { name: /^Recording/ }).textContent).toContain('REC')
    cleanup()
    render(StatusBar, { app: state })
    expect(screen.getByRole('contentinfo').textContent).toContain('Live recording continues in the background.')
  })
  it('says that nothing is recorded while recording is off', async () => {
    await terminal.ask('recording.set', { on: false })
    const { state } = await open()
    render(StatusBar, { app: state })
    expect(screen.getByRole('contentinfo').textContent).toContain('Nothing is being recorded.')
  })
})

describe('serving to other programs', () => {
  const button = () => screen.getByRole('button', { name: /^Serve to other programs/ })
  async function openPanel(served: ServedReplay | null) {
    const { state } = await open()
    const { id } = replaysOf(state).current.state!
    render(TransportBar, { app: state })
    render(ServePanel, { app: state, id, served })
  }

  it('starts, is shown in the bar, and stops', async () => {
    await openPanel(null)
    await fireEvent.click(screen.getByRole('button', { name: 'Start serving' }))
    expect(last('replay.serve')).toMatchObject({ port: 0 })
    await terminal.settle()
    expect(button().title).toMatch(/^Served at http:\/\/127\.0\.0\.1:\d+, 0 connections$/)
    cleanup()
    await openPanel({ baseUrl: 'http://127.0.0.1:8017', username: 'replay', password: 'p', apiKey: 'k', clients: 1 })
    screen.getByText('http://127.0.0.1:8017')
    expect(screen.getByRole('status').textContent).toBe('1 connection')
    await fireEvent.click(screen.getByRole('button', { name: 'Stop serving' }))
    expect(last('replay.stop-serving')).toBeDefined()
  })

  it('says why it ended by itself', async () => {
    await openPanel(null)
    const message = 'The replay is no longer served: the session couldn’t be read.'
    terminal.alter('replay.served', () => ({ failure: { code: 'store-damaged', message } }))
    render(StatusBar, { app: app! })
    await screen.findByText(new RegExp(message))
    expect(button().title).toBe('Serve to other programs')
  })

  it('rejects an invalid port, and says why a port was refused', async () => {
    await openPanel(null)
    const port = screen.getByLabelText('Port')
    const start = screen.getByRole<HTMLButtonElement>('button', { name: 'Start serving' })
    await fireEvent.input(port, { target: { value: '70000' } })
    expect(start.disabled).toBe(true)
    await fireEvent.input(port, { target: { value: '8017' } })
    terminal.answer('replay.serve', () => {
      throw new CodedError('not-allowed', 'Port 8017 is already in use.', { hint: 'Choose another port, or 0.' })
    })
    await fireEvent.click(start)
    await vi.waitFor(() => expect(screen.getByRole('alert').textContent).toContain('Port 8017 is already in use.'))
  })
})
