// What a screen reader says of every button: something, and nothing twice.
import './browser-stubs.ts'
import { cleanup, screen } from '@testing-library/svelte'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import StatusBar from '../../../src/renderer/core/frame/StatusBar.svelte'
import TopBar from '../../../src/renderer/core/frame/TopBar.svelte'
import DockActions from '../../../src/renderer/features/workspace/DockActions.svelte'
import { PaneState } from '../../../src/renderer/features/workspace/pane-state.svelte.ts'
import WorkspaceMenu from '../../../src/renderer/features/workspace/WorkspaceMenu.svelte'
import type { WindowState } from '../../../src/renderer/core/window/window.svelte.ts'
import { PANE_KINDS } from '../../../src/shared/features/workspace/kinds.ts'
import { WindowTerminal } from '../../kit/window-terminal.ts'
import { recordedChart } from './charts/recording-canvas.ts'
import { dockOf, openWindow, partsOf, render } from './open-window.ts'

/** A name in which the same words stand twice in a row, such as "Filters Filters". */
const isDoubled = (name: string): boolean => /(?:^|[^\p{L}])(\p{L}[\p{L} ]+)[^\p{L}]+\1(?:$|[^\p{L}])/iu.test(name)

let terminal: WindowTerminal
let app: WindowState
beforeAll(async () => {
  recordedChart(900, 500).port.destroy() // charts need canvases of a size
  terminal = await WindowTerminal.start()
  await terminal.control('recordSession')
})
afterAll(() => terminal.close())
async function open(): Promise<void> {
  app = openWindow(terminal, { frame: (run) => queueMicrotask(run), painted: (run) => run() })
  await terminal.settle()
}
/** The names of the buttons on screen that say nothing, or something twice. */
function badNames(): readonly string[] {
  const bad: string[] = []
  const all = screen.getAllByRole('button', {
    name(name) {
      if (name.trim() === '' || isDoubled(name)) bad.push(name)
      return true
    },
  })
  expect(all.length).toBeGreaterThan(0)
  return bad
}

it('knows a name that is doubled', () => {
  const names = ['Filters Filters', 'Filters Filters 2', 'Not recording not recording', 'Workspace: Mine Mine']
  for (const name of names) expect(isDoubled(name), name).toBe(true)
  for (const name of ['Filters 2', 'Go to date', 'Time zone: UTC 14:03', 'All symbols', '10 10'])
    expect(isDoubled(name), name).toBe(false)
})

describe('the buttons', () => {
  afterEach(() => {
    cleanup()
    app.close()
  })

  it.each([
    ['top bar', TopBar],
    ['status bar', StatusBar],
    ['menu of workspaces', WorkspaceMenu],
  ] as const)('of the %s have names', async (_what, Part) => {
    await open()
    render(Part, { app })
    await terminal.settle()
    expect(badNames()).toEqual([])
  })

  it.each(PANE_KINDS.filter((kind) => kind !== 'team'))('of the pane %s have names', async (kind) => {
    await open()
    const dock = dockOf(app)
    dock.open(kind)
    const pane = dock.now.panes.find((one) => one.kind === kind)
    const type = partsOf(app).pane(kind)
    if (!pane || !type) throw new Error(`no pane ${kind}`)
    render(type.component, { app, pane: new PaneState(dock, pane, () => 'UTC') })
    render(DockActions, { app, id: pane.id, group: document.createElement('div') })
    await terminal.settle()
    expect(badNames()).toEqual([])
  })
})
