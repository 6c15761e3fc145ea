/** Where the focus goes when panes close. */
import { cleanup } from '@testing-library/svelte'
import { flushSync } from 'svelte'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import Dock from '../../../../../src/renderer/features/workspace/Dock.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import type { DockState } from '../../../../../src/renderer/features/workspace/dock.svelte.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { dockOf, openWindow, render } from '../../open-window.ts'

/** Gives the dock its size at once. Sizes of anything else stay 0. */
class OneSize implements ResizeObserver {
  readonly #report: ResizeObserverCallback
  constructor(report: ResizeObserverCallback) {
    this.#report = report
  }
  observe(target: Element): void {
    if (!target.classList.contains('dock')) return
    const entry = { contentRect: { width: 1_440, height: 836 } } as ResizeObserverEntry // the dock reads the size only
    this.#report([entry], this)
  }
  unobserve(): void {}
  disconnect(): void {}
}

let terminal: WindowTerminal
let app: WindowState
let dock: DockState
beforeEach(async () => {
  vi.stubGlobal('ResizeObserver', OneSize)
  terminal = await WindowTerminal.start({ feeds: false, record: false })
  app = openWindow(terminal)
  dock = dockOf(app)
  await terminal.settle()
  // Panes that need no canvas.
  dock.open('log')
  for (const { id, kind } of dock.whole.panes) if (kind !== 'log') dock.close(id)
  render(Dock, { app })
  await drawn()
})
afterEach(async () => {
  cleanup()
  app.close()
  await terminal.settle()
  terminal.close()
  vi.unstubAllGlobals()
})
/** Waits until the dock shows the workspace and has moved the focus. */
async function drawn(): Promise<void> {
  flushSync()
  await Promise.resolve()
  await new Promise(requestAnimationFrame)
}
const paneWithFocus = () => document.activeElement?.closest<HTMLElement>('.dv-groupview')?.dataset['pane']
/** A button outside the dock, as in the status bar. */
function outside(): HTMLButtonElement {
  const button = document.body.appendChild(document.createElement('button'))
  button.textContent = 'Health'
  onTestFinished(() => button.remove())
  return button
}
const focused = () => document.activeElement?.textContent

it('a pane that a key showed and closed returns the focus to where it was', async () => {
  outside().focus()
  dock.toggle('health')
  await drawn()
  expect(paneWithFocus()).toBe('health')
  dock.toggle('health')
  await drawn()
  expect(focused()).toBe('Health')
})
it('a closed pane leaves the focus to the one in front if nothing had it before', async () => {
  dock.toggle('health')
  await drawn()
  dock.close(dock.now.front)
  await drawn()
  expect(paneWithFocus()).toBe('log')
})
it('a pane that closes without the focus leaves it where it is', async () => {
  dock.toggle('health')
  await drawn()
  outside().focus()
  dock.toggle('health')
  await drawn()
  expect(focused()).toBe('Health')
})
