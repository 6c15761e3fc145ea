import { flushSync } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DockState } from '../../../../../src/renderer/features/workspace/dock.svelte.ts'
import {
  ASK_MS,
  expectWindow,
  LOADING_MS,
  LostWindows,
} from '../../../../../src/renderer/features/workspace/pane-windows.ts'
import { dockHash, parseDockRoute, type DockRoute } from '../../../../../src/renderer/core/window/window-route.ts'
import { floatPane, popOut } from '../../../../../src/shared/features/workspace/edits.ts'
import { setLink } from '../../../../../src/shared/features/workspace/links.ts'
import { partOf, withPart } from '../../../../../src/shared/features/workspace/parts.ts'
import { readyWorkspace } from '../../../../../src/shared/features/workspace/ready.ts'
import type { Failure } from '../../../../../src/shared/base/errors.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { PaneState } from '../../../../../src/renderer/features/workspace/pane-state.svelte.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'

describe('the address of a window', () => {
  it('names a workspace and its part, and rejects anything else', () => {
    const route = { workspace: 'workspace-3', window: 'window-1' }
    expect(parseDockRoute(dockHash(route))).toEqual(route)
    for (const hash of [
      '',
      '#replay=01',
      '#workspace=',
      '#workspace=../etc&window=a',
      '#window=a',
      `#workspace=${'a'.repeat(99)}`,
    ])
      expect(parseDockRoute(hash)).toEqual({})
  })
})

describe('a popped-out window', () => {
  const rounds = (windows: LostWindows, living: readonly string[], most: number) => {
    for (let n = 1; n <= most; n++) if (windows.after(['window-1'], new Set(living)).length > 0) return n
    return null
  }
  it('is gone after misses for six seconds', () => {
    const most = 6_000 / ASK_MS
    const windows = new LostWindows('overview')
    expect(rounds(windows, [], most - 1)).toBeNull()
    expect(rounds(windows, ['window-1'], 1)).toBeNull()
    expect(rounds(windows, [], 2 * most)).toBe(most)
  })
  it('has half a minute to load after it was opened here, once', () => {
    expectWindow('overview', 'window-1')
    const windows = new LostWindows('overview')
    const most = LOADING_MS / ASK_MS
    expect(LOADING_MS).toBe(30_000)
    expect(rounds(windows, [], most - 1)).toBeNull()
    expect(rounds(windows, ['window-1'], 1)).toBeNull()
    expect(rounds(windows, [], most)).toBe(6_000 / ASK_MS)
    expectWindow('overview', 'window-1')
    expect(rounds(new LostWindows('overview'), [], 2 * most)).toBe(most)
  })
})

describe('the dock of a window', () => {
  let terminal: WindowTerminal
  let dock: DockState
  const problems: string[] = []
  const [shown, said]: string[][] = [[], []]
  const openDock = (route: DockRoute = {}, tell: (failure: Failure) => void = () => undefined) =>
    new DockState({
      transport: terminal,
      route,
      toasts: { show: (text) => shown.push(text), say: (text) => said.push(text) },
      tell,
    })
  beforeEach(async () => {
    vi.useFakeTimers()
    terminal = await WindowTerminal.start({ feeds: false, record: false })
    dock = openDock({}, (failure) => problems.push(failure.message))
    await terminal.settle()
    flushSync()
  })
  afterEach(async () => {
    dock.dispose()
    await terminal.settle() // it has saved the last change
    terminal.close()
    vi.useRealTimers()
    expect(problems).toEqual([])
  })
  const saved = () => terminal.read('workspaces', {})
  const stored = async () => (await saved()).workspaces.find((one) => one.id === 'overview')
  /** Runs the timers that save a change, and waits until it is saved and every window has it. */
  const save = async () => {
    await vi.runAllTimersAsync()
    await terminal.settle()
  }

  it('needs no notification to hide what the same key shows again', () => {
    dock.toggle('health')
    expect(dock.isShown('health')).toBe(true)
    dock.toggle('health')
    expect([dock.isShown('health'), shown, said]).toEqual([false, [], ['Health closed.']])
  })

  it('opens a pane in its place, saves it, and undoes it', async () => {
    expect(dock.ready).toBe(true)
    dock.open('log')
    expect(dock.now.front).toBe('log-1')
    expect(dock.shown('log')?.id).toBe('log-1')
    await save()
    expect((await stored())?.panes.map((one) => one.id)).toContain('log-1')
    dock.open('sessions')
    expect(dock.shown('log')).toBeUndefined()
    dock.open('log')
    expect(dock.shown('log')?.id).toBe('log-1')
    expect(dock.undo()).toBe(true)
    expect(dock.first('sessions')).toBeUndefined()
    expect(dock.undo()).toBe(true)
    expect(dock.first('log')).toBeUndefined()
    expect(dock.undo()).toBe(false)
    expect(dock.redo()).toBe(true)
    await save()
    expect((await stored())?.panes.map((one) => one.id)).toContain('log-1')
  })

  it('sends a change at once, the steps of a gesture together, and the last ones before the page closes', async () => {
    const sent = () => terminal.callsOf('workspaces.put').length
    const before = sent()
    dock.open('log')
    dock.open('sessions')
    await Promise.resolve()
    expect(sent(), 'one action').toBe(before + 1)
    dock.close('log-1')
    dock.open('news')
    await Promise.resolve()
    expect(sent()).toBe(before + 1)
    await save()
    expect(sent()).toBe(before + 2)
    await save()
    dock.open('tape')
    await Promise.resolve()
    dock.close('news-1')
    dock.flush()
    dock.flush()
    expect(sent(), 'the page may close').toBe(before + 4)
    await terminal.settle()
    expect((await stored())?.panes.map((one) => one.id)).not.toContain('news-1')
  })

  it('forgets the changes of safe mode when it ends, and closes its extra windows', async () => {
    const [first] = (await saved()).workspaces
    const id = 'safe-mode--overview'
    const part = floatPane(readyWorkspace('overview'), 'tape-1', { x: 0, y: 0, width: 400, height: 300 })
    await terminal.ask('workspaces.put', { text: JSON.stringify({ ...part, id }), replaces: false })
    const main = openDock({ workspace: id })
    const beside = openDock({ workspace: id, window: 'window-1' })
    await terminal.settle()
    main.open('log')
    for (const one of [main, beside]) one.reload()
    await terminal.ask('workspaces.remove', { id })
    await terminal.settle()
    expect(main.id).toBe((await saved()).latest)
    expect(main.gone).toBe(false)
    expect(beside.gone).toBe(true)
    await save()
    expect((await saved()).workspaces.map((one) => one.id)).not.toContain(id)
    expect(main.whole.panes).toEqual(first?.panes)
    for (const one of [main, beside]) one.dispose()
  })

  it('closes a popped-out window that opened after its panes had been taken back, and waits for one that is early', async () => {
    const late = openDock({ workspace: 'overview', window: 'window-1' })
    const early = openDock({ workspace: 'overview', window: 'window-2' })
    await terminal.settle()
    expect([late.gone, early.gone]).toEqual([false, false])
    dock.changeWhole((now) => popOut(now, 'window-2', ['tape-1']))
    dock.flush()
    await terminal.settle()
    expect(early.now.panes.map((one) => one.id)).toEqual(['tape-1'])
    await vi.advanceTimersByTimeAsync(LOADING_MS - 1)
    expect([late.gone, early.gone], 'the main window still waits for both').toEqual([false, false])
    await vi.advanceTimersByTimeAsync(1)
    expect([late.gone, early.gone]).toEqual([true, false])
    for (const one of [late, early]) one.dispose()
  })

  it('shows what another window did', async () => {
    const other = openDock()
    await terminal.settle()
    other.open('news')
    await save()
    expect(dock.shown('news')?.id).toBe('news-1')
    other.dispose()
  })

  it('gives each pane its own instrument, and the time zone of that instrument', () => {
    const [first, second] = dock.now.panes.filter(({ kind }) => kind === 'chart' || kind === 'tape')
    if (!first || !second) throw new Error('no two panes of an instrument')
    dock.change((now) => setLink(now, second.id, null))
    const [linked, alone] = [first, second].map((pane) => new PaneState(dock, pane, () => 'exchange'))
    alone?.select(instrumentId('stocks', 'AAPL'))
    linked?.select(instrumentId('crypto', 'BTC-USD'))
    const shown = [linked, alone].map((pane) => [pane?.instrument, pane?.asset, pane?.zone])
    expect(shown).toEqual([
      ['crypto:BTCUSD', 'crypto', 'UTC'],
      ['stocks:AAPL', 'stocks', 'America/New_York'],
    ])
  })

  it('preserves the title of a pane that the next workspace has too', () => {
    const [chart] = dock.now.panes.filter(({ kind }) => kind === 'chart')
    const alike = dock.all.find(({ id, panes }) => id !== dock.id && panes.some((one) => one.id === chart?.id))
    if (!chart || !alike) throw new Error('no two ready-made workspaces with the same chart')
    dock.title(chart.id, 'BTC-USD 1m')
    dock.title('log-1', 'gone')
    dock.show(alike.id)
    expect(dock.titleOf(chart.id)).toBe('BTC-USD 1m')
    expect(dock.titles['log-1']).toBeUndefined()
  })

  it('saves nothing more once it is detached', async () => {
    dock.detach()
    dock.open('log')
    await save()
    expect(dock.shown('log')?.id).toBe('log-1')
    expect((await stored())?.panes.map((one) => one.id)).not.toContain('log-1')
  })

  it('shows a part of a workspace in an extra window, and nothing else', () => {
    const whole = { ...readyWorkspace('overview') }
    expect(partOf(whole, 'window-1')).toBeNull()
    expect(withPart(whole, 'window-1', whole)).toBe(whole)
  })

  it('keeps the panes of an extra window when one is floated there', () => {
    const whole = popOut(readyWorkspace('overview'), 'window-1', ['quote-1', 'tape-1'])
    const part = partOf(whole, 'window-1')
    if (!part) throw new Error('no such window')
    expect(withPart(whole, 'window-1', floatPane(part, 'tape-1', { x: 0, y: 0, width: 300, height: 200 }))).toBe(whole)
  })
})
