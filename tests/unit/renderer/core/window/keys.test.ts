import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { COMMANDS } from '../../../../../scripts/lib/window-commands.mjs'
import { TestTransport } from '../../../../kit/transport.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { commandsOf, openWindow, replaysOf, serviceOf } from '../../open-window.ts'
import { replayKeys, windowKeys, type WindowKeys } from '../../../../../src/renderer/core/window/keys.ts'
import { lookOf } from '../../../../../src/renderer/core/theme/theme.ts'
import { tape } from '../../../../../src/renderer/features/tape/feature.ts'

describe('keys', () => {
  let app: WindowState
  let keys: WindowKeys
  const press = (key: string, init: KeyboardEventInit = {}, target: Element = document.body) => {
    const event = new KeyboardEvent('keydown', { key, cancelable: true, ...init })
    Object.defineProperty(event, 'target', { value: target })
    keys.first(event)
    if (!event.cancelBubble) keys.keydown(event)
    return event
  }
  beforeEach(() => {
    vi.useFakeTimers()
    app = openWindow(new TestTransport())
    keys = windowKeys(app)
  })
  afterEach(() => {
    app.close()
    vi.useRealTimers()
  })

  it('open the symbol box with the letter typed', () => {
    expect(press('a').defaultPrevented).toBe(true)
    expect(app.symbolBox).toEqual({ asked: 1, typed: 'a' })
    press('k', { ctrlKey: true })
    expect(app.symbolBox).toEqual({ asked: 2, typed: '' })
  })
  it('change the interval by digits, after a pause or by a unit', () => {
    press('1')
    press('5')
    expect(app.intervalTyped).toBe('15')
    expect(app.chart.interval).toBe('1s')
    vi.advanceTimersByTime(1_000)
    expect(app.chart.interval).toBe('15m')
    press('3')
    press('0')
    press('s')
    expect(app.chart.interval).toBe('30s')
  })
  it('end a typed interval with Enter or Escape, which a list with the focus doesn’t see then', () => {
    const list = document.createElement('div')
    list.tabIndex = 0
    const isSeen = (key: string) => {
      const event = new KeyboardEvent('keydown', { key, cancelable: true })
      Object.defineProperty(event, 'target', { value: list })
      keys.first(event)
      return !event.cancelBubble
    }
    expect(isSeen('Enter')).toBe(true)
    press('5', {}, list)
    expect(isSeen('Enter')).toBe(false)
    expect(app.chart.interval).toBe('5m')
    press('3', {}, list)
    expect(isSeen('Escape')).toBe(false)
    expect([app.intervalTyped, app.chart.interval]).toEqual(['', '5m'])
    press('1', {}, list)
    press('s', {}, list)
    expect(isSeen('Enter')).toBe(true)
  })
  it('take both letters of milliseconds, and reject an unknown interval after a pause', () => {
    for (const key of '250ms') press(key)
    expect(app.chart.interval).toBe('250ms')
    for (const key of '5m') press(key)
    expect(app.chart.interval).toBe('5m')
    for (const key of '100m') press(key)
    expect(app.intervalTyped).toBe('100m')
    vi.advanceTimersByTime(1_000)
    expect(app.chart.interval).toBe('100m')
    for (const key of '9999') press(key)
    vi.advanceTimersByTime(1_000)
    expect(app.toasts.list.at(-1)?.text).toContain('Unknown interval “9999”')
    expect(app.chart.interval).toBe('100m')
  })
  it('refuse a mistyped interval instead of searching for a symbol by its letters', () => {
    for (const key of [...'999xy', 'Enter']) press(key)
    expect(app.toasts.list.at(-1)?.text).toContain('Unknown interval “999xy”')
    for (const key of [...'0.5s', 'Enter']) press(key)
    expect(app.toasts.list.at(-1)?.text).toContain('Unknown interval “0.5s”')
    for (const key of [...'5q', 'Escape']) press(key)
    vi.advanceTimersByTime(1_000)
    expect([app.symbolBox.asked, app.chart.interval, app.intervalTyped]).toEqual([0, '1s', ''])
    press('x')
    expect(app.symbolBox).toEqual({ asked: 1, typed: 'x' })
  })
  it('drop the digits with Esc, and say when there is no such interval', () => {
    press('5')
    press('Escape')
    expect(app.intervalTyped).toBe('')
    press('0')
    press('Enter')
    expect(app.toasts.list.at(-1)?.text).toContain('Unknown interval “0”')
    expect(app.chart.interval).toBe('1s')
  })
  it('play a replay with Space wherever the focus is, but not where Space presses a button', () => {
    let played = 0
    app.replaying = { id: 'r1', playing: false } as unknown as typeof app.replaying // what the keys ask of it
    replaysOf(app).current.toggle = () => void played++
    const at = (html: string): Element => {
      const holder = document.createElement('div')
      holder.innerHTML = html
      return holder.firstElementChild ?? holder
    }
    const cases: readonly (readonly [string, number])[] = [
      ['<div></div>', 1],
      ['<div role="tab" aria-selected="true"></div>', 1],
      ['<button role="tab" aria-selected="true"></button>', 1],
      ['<button role="radio" aria-checked="true"></button>', 1],
      ['<button role="tab" aria-selected="false"></button>', 0],
      ['<button role="radio" aria-checked="false"></button>', 0],
      ['<button></button>', 0],
      ['<input>', 0],
      ['<textarea></textarea>', 0],
    ]
    for (const [html, times] of cases) {
      played = 0
      press(' ', {}, at(html))
      expect([html, played]).toEqual([html, times])
    }
    // The dock takes Space on its tabs before it comes here.
    const dockTab = at('<div class="dv-tab" role="tab" aria-selected="true"></div>')
    const taken = new KeyboardEvent('keydown', { key: ' ', cancelable: true })
    Object.defineProperty(taken, 'target', { value: dockTab })
    taken.preventDefault()
    played = 0
    keys.keydown(taken)
    expect(played).toBe(1)
  })
  it('hold the tape with Space, but not where Space presses a button', () => {
    press(' ')
    expect(serviceOf(app, tape).paused).toBe(true)
    press(' ', {}, document.createElement('button'))
    expect(serviceOf(app, tape).paused).toBe(true)
  })
  it('leave a text box alone, except for a command', () => {
    const input = document.createElement('input')
    press('a', {}, input)
    press('5', {}, input)
    press('?', {}, input)
    expect(app.symbolBox.asked).toBe(0)
    expect(app.dialog).toBeNull()
    press('k', { ctrlKey: true }, input)
    expect(app.symbolBox.asked).toBe(1)
  })
  it('play a replay with Space and leave the tape alone, and step it by arrows', async () => {
    press('ArrowRight')
    expect(app.replaying).toBeNull()
    app.close()
    const terminal = await WindowTerminal.start()
    await terminal.control('recordSession')
    app = openWindow(terminal)
    keys = windowKeys(app)
    await terminal.settle()
    await replaysOf(app).openLatest()
    const pressed = async (...of: Parameters<typeof press>) => {
      press(...of)
      await terminal.settle()
    }
    const start = app.replaying?.nowMs ?? 0
    await pressed(' ')
    expect(app.replaying?.playing).toBe(true)
    expect(serviceOf(app, tape).paused).toBe(false)
    await pressed('ArrowRight', { ctrlKey: true })
    expect(app.replaying).toMatchObject({ nowMs: start + 1_000, playing: false })
    await pressed('ArrowRight')
    const first = app.replaying?.nowMs ?? 0
    await pressed('ArrowRight', { shiftKey: true })
    // The bars of the chart are of one second.
    const edge = first - (first % 1_000) + 1_000
    expect(app.replaying?.nowMs).toBe(edge)
    await pressed('ArrowLeft', { ctrlKey: true })
    expect(app.replaying?.nowMs).toBe(edge - 1_000)
    const input = document.createElement('input')
    expect(press('ArrowLeft', { ctrlKey: true }, input).defaultPrevented).toBe(false)
    const list = document.createElement('div')
    list.tabIndex = 0
    expect(press('End', {}, list).defaultPrevented).toBe(false)
    expect(press('ArrowRight', {}, list).defaultPrevented).toBe(false)
    // A chart or list that has the focus has no use for arrows with Ctrl.
    await pressed('ArrowRight', { ctrlKey: true }, list)
    expect(app.replaying?.nowMs).toBe(edge)
    expect(press('g', { ctrlKey: true }).defaultPrevented).toBe(true)
    expect(app.dialog).toBe('jump')
    app.dialog = null
    press('End', { altKey: true })
    expect(app.view).toBe('live')
    press(' ')
    expect(serviceOf(app, tape).paused).toBe(true)
    terminal.close()
  })
  it('play a replay and go to its end wherever the focus is, but not in a text', async () => {
    app.close()
    const terminal = await WindowTerminal.start()
    await terminal.control('recordSession')
    app = openWindow(terminal)
    const anywhere = replayKeys(app)
    await terminal.settle()
    const pressed = async (key: string, target: Element, init: KeyboardEventInit = {}) => {
      const event = new KeyboardEvent('keydown', { key, cancelable: true, ...init })
      Object.defineProperty(event, 'target', { value: target })
      anywhere.keydown(event)
      await terminal.settle()
      return event.defaultPrevented
    }
    const list = document.createElement('div')
    list.tabIndex = 0
    const button = document.createElement('button')
    const select = document.createElement('select')
    const input = document.createElement('input')
    expect(await pressed('End', list)).toBe(false)
    await replaysOf(app).openLatest()
    await terminal.settle()

    expect(await pressed('End', input)).toBe(false)
    expect(await pressed(' ', input)).toBe(false)
    expect(await pressed(' ', list)).toBe(true)
    expect(app.replaying?.playing).toBe(true)
    // A button that was reached by keyboard is pressed; one that was clicked only still has the focus.
    await pressed('Tab', list)
    expect(await pressed(' ', button)).toBe(false)
    expect(await pressed(' ', select)).toBe(false)
    anywhere.pointerdown()
    expect(await pressed(' ', button)).toBe(true)
    expect(app.replaying?.playing).toBe(false)
    expect(await pressed(' ', select)).toBe(true)
    expect(await pressed('End', list)).toBe(true)
    expect(app.replaying).toMatchObject({ nowMs: app.replaying?.toMs })
    const separator = document.createElement('div')
    separator.setAttribute('role', 'separator')
    expect(await pressed('End', separator)).toBe(false)
    app.dialog = 'jump'
    expect(await pressed('End', list)).toBe(false)
    terminal.close()
  })
  it('do nothing behind a dialog', () => {
    app.dialog = 'settings'
    press('a')
    expect(app.symbolBox.asked).toBe(0)
  })
})

describe('commands', () => {
  it.each(['live', 'replay'] as const)('have one key each in %s, and every id once', (when) => {
    const commands = commandsOf()
    const keys = commands.filter((one) => (one.when ?? when) === when).flatMap((one) => one.keys)
    expect(keys.filter((chord, i) => keys.indexOf(chord) !== i)).toEqual([])
    const ids = commands.map((one) => one.id)
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  })
  it('are those that the guide lists, in its order', () => {
    expect(commandsOf().map(({ id }) => id)).toEqual(COMMANDS.map(({ id }) => id))
  })
  it('are found by their key', () => {
    const app = openWindow(new TestTransport())
    expect(app.commands.commandOf({ key: '?', ctrlKey: false, metaKey: false, altKey: false })?.id).toBe('shortcuts')
    app.close()
  })
})

it('a window that was refused for good leaves that to its banner', () => {
  const app = openWindow(new TestTransport())
  const failure = { code: 'not-allowed', message: 'This address was already used.' } as const
  app.tell(failure)
  app.refused = failure
  app.tell(failure)
  expect(app.toasts.list).toHaveLength(1)
  app.close()
})

describe('look', () => {
  it('follows the system only where asked to', () => {
    expect(lookOf('dark', (query) => !query.includes('forced'))).toBe('dark')
    expect(lookOf('system', (query) => query.includes('light'))).toBe('light')
    expect(lookOf('system', (query) => query.includes('contrast'))).toBe('contrast')
    expect(lookOf('system', () => false)).toBe('dark')
  })
  it('is closest to the colors that the system forces on every page', () => {
    expect(lookOf('light', (query) => query.includes('forced'))).toBe('contrast')
    expect(lookOf('dark', (query) => query.includes('forced') || query.includes('light'))).toBe('light')
  })
})
