import '../../browser-stubs.ts'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DockView, type DockHead } from '../../../../../src/renderer/features/workspace/view/dock-view.ts'
import {
  panesIn,
  READY_NAMES,
  shownGroups,
  shownPanes,
  type Workspace,
} from '../../../../../src/shared/features/workspace/document.ts'
import * as edits from '../../../../../src/shared/features/workspace/edits.ts'
import { layoutOf, sameShape, type Area, type Layout } from '../../../../../src/shared/features/workspace/fit.ts'
import { PANE_KINDS } from '../../../../../src/shared/features/workspace/kinds.ts'
import { readyWorkspace } from '../../../../../src/shared/features/workspace/ready.ts'

const SIDES = ['left', 'right', 'up', 'down', 'within'] as const
const POSITIONS = { left: 'left', right: 'right', up: 'top', down: 'bottom', within: 'center' } as const
const px = (text: string) => Number.parseFloat(text)

/** A workspace and its view, connected as in a window. */
class Window {
  now: Workspace
  area: Area
  readonly view: DockView
  readonly host = document.body.appendChild(document.createElement('div'))
  /** How many heads were created and not disposed of. */
  heads = 0

  constructor(now: Workspace, area: Area) {
    this.now = now
    this.area = area
    const element = () => ({ element: document.createElement('div'), init: () => undefined, dispose: () => undefined })
    this.view = new DockView(this.host, {
      content: element,
      tab: element,
      createHead: () => this.#createHead(),
      kindOf: (id) => edits.paneOf(this.now, id)?.kind,
      titleOf: (id) => id,
      arrange: (layout) => this.#arrange(layout),
      fronted: (id) => (this.now = edits.setFront(this.now, id)),
    })
    this.draw()
  }
  #createHead(): DockHead {
    const element = document.createElement('div')
    element.append(document.createElement('button'))
    this.heads += 1
    return {
      element,
      show: (group) => (element.title = group.id),
      dispose: () => void (this.heads -= 1),
    }
  }
  get layout(): Layout {
    return layoutOf(this.now, this.area)
  }
  draw(): void {
    this.view.render(this.layout, this.now.front)
  }
  #arrange(layout: Layout): void {
    const shown = shownPanes(layout)
    for (const { id } of this.now.panes) if (!shown.includes(id)) this.now = edits.closePane(this.now, id)
    this.now = edits.arrange(this.now, layout)
    this.draw()
  }
  /** Runs one step and lets dockview report it. */
  async do(step: Step): Promise<void> {
    step.run(this)
    await Promise.resolve()
    this.draw()
    await Promise.resolve()
  }
  pane(n: number): string {
    return this.now.panes[n % this.now.panes.length]?.id ?? ''
  }
  group(n: number): string {
    const all = shownGroups(this.layout)
    return all[n % all.length]?.front ?? ''
  }
  expectEqual(): void {
    const { view, layout } = this
    expect(sameShape(view.layout, layout), `${JSON.stringify(view.layout)}\n${JSON.stringify(layout)}`).toBe(true)
    expect(shownGroups(view.layout).map((one) => one.front)).toEqual(shownGroups(layout).map((one) => one.front))
    for (const { x, y, dock } of layout.floats) {
      const box = view.panel(dock.front)?.group.element.getBoundingClientRect()
      expect([Math.round(box?.x ?? -1), Math.round(box?.y ?? -1)]).toEqual([x, y])
    }
    expect(view.layout.maximised === null).toBe(layout.maximised === null)
    expect(view.panel(this.now.front)?.api.isActive).toBe(true)
    expect(this.heads).toBe(shownGroups(layout).length)
    expect(panesIn(this.now.dock).length).toBeGreaterThan(0)
  }
}
interface Step {
  readonly run: (window: Window) => void
  readonly [fc.toStringMethod]: () => string
}

function drag(element: Element | null | undefined, dx: number, dy: number, x = 500, y = 400): void {
  if (!element) return
  const at = (type: string, clientX: number, clientY: number, target: EventTarget) =>
    target.dispatchEvent(new MouseEvent(type, { bubbles: true, clientX, clientY }))
  at('pointerdown', x, y, element)
  at('pointermove', x, y, document)
  at('pointermove', x + dx, y + dy, document)
  at('pointerup', x + dx, y + dy, document)
}
const nth = (root: Element, selector: string, n: number) => {
  const all = [...root.querySelectorAll(selector)]
  return all[n % all.length]
}

const n = fc.nat({ max: 40 })
const by = fc.integer({ min: -500, max: 500 })
/** A step with a name for fast-check's report. */
const step = (name: string, run: (window: Window) => void): Step => ({ run, [fc.toStringMethod]: () => name })
const edit = (name: string, change: (now: Workspace, window: Window) => Workspace): Step =>
  step(name, (window) => void (window.now = change(window.now, window)))
/** Steps of commands, which change the workspace. */
const commands: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(n, fc.constantFrom(...PANE_KINDS), fc.constantFrom(...SIDES)).map(([at, kind, side]) =>
    edit(`add ${kind} ${side} of ${at}`, (now, window) => {
      const id = edits.freshId(now, kind)
      return edits.addPane(now, { id, kind, link: null, instrument: null, settings: {} }, { of: window.pane(at), side })
    }),
  ),
  fc
    .tuple(n, n, fc.constantFrom(...SIDES))
    .map(([a, b, side]) =>
      edit(`move ${a} ${side} of ${b}`, (now, window) =>
        edits.movePane(now, window.pane(a), { of: window.pane(b), side }),
      ),
    ),
  fc
    .tuple(n, fc.constantFrom('row' as const, 'column' as const), by)
    .map(([at, axis, size]) =>
      edit(`resize ${at} by ${size} in its ${axis}`, (now, window) =>
        edits.resizePane({ ...now, area: window.area }, window.pane(at), axis, size),
      ),
    ),
  n.map((at) => edit(`close ${at}`, (now, window) => edits.closePane(now, window.pane(at)))),
  fc
    .tuple(n, by, by)
    .map(([at, x, y]) =>
      edit(`float ${at} at ${x}, ${y}`, (now, window) =>
        edits.floatPane(now, window.pane(at), { x, y, width: 300.4, height: 200 }),
      ),
    ),
  n.map((at) => edit(`dock ${at}`, (now, window) => edits.dockPane(now, window.pane(at)))),
  n.map((at) => edit(`focus ${at}`, (now, window) => edits.setFront(now, window.pane(at)))),
  n.map((at) => edit(`maximize ${at}`, (now, window) => edits.toggleMaximised(now, window.pane(at)))),
)
const press = (key: string) => (at: number) =>
  step(`${key} on tab ${at}`, ({ host }) => {
    nth(host, '[role="tab"]', at)?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  })
/** Steps of the mouse and the keyboard, which change the view. */
const gestures: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(n, n, fc.constantFrom(...SIDES)).map(([a, b, side]) =>
    step(`drop ${a} ${side} of group ${b}`, (window) => {
      const panel = window.view.panel(window.pane(a))
      const group = window.view.panel(window.group(b))?.group
      // A pane can't be dropped beside itself.
      if (!panel || !group || (panel.group === group && group.panels.length === 1)) return
      panel.api.moveTo({ group, position: POSITIONS[side] })
    }),
  ),
  fc
    .tuple(n, by)
    .map(([at, size]) => step(`drag sash ${at} by ${size}`, ({ host }) => drag(nth(host, '.dv-sash', at), size, size))),
  fc
    .tuple(n, by, by)
    .map(([at, x, y]) =>
      step(`drag edge ${at} by ${x}, ${y}`, ({ host }) => drag(nth(host, '[class^="dv-resize-handle"]', at), x, y)),
    ),
  n.map(press('Delete')),
  n.map(press('Enter')),
  fc.tuple(fc.integer({ min: 300, max: 2_600 }), fc.integer({ min: 250, max: 1_600 })).map(([width, height]) =>
    step(`resize the window to ${width} × ${height}`, (window) => {
      window.view.scale({ width: width - 7, height })
      window.view.scale({ width, height })
      window.area = { width, height }
    }),
  ),
)

describe('the view of a workspace', () => {
  beforeEach(() => {
    // Jsdom has no layout. Floating windows have theirs in their style.
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
      const floating = this.closest<HTMLElement>('.dv-resize-container')
      const grid = document.querySelector<HTMLElement>('.dv-grid-view')
      const [width, height] = [px(grid?.style.width ?? ''), px(grid?.style.height ?? '')]
      if (!floating) return new DOMRect(0, 0, width, height)
      const { style } = floating
      const [w, h] = [px(style.width), px(style.height)]
      const x = style.left === 'auto' ? width - px(style.right) - w : px(style.left)
      const y = style.top === 'auto' ? height - px(style.bottom) - h : px(style.top)
      return new DOMRect(x, y, w, h)
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    document.body.replaceChildren()
  })

  it.each(READY_NAMES)('shows a built-in workspace exactly: %s', (name) => {
    const window = new Window(readyWorkspace(name), { width: 1_600, height: 900 })
    window.expectEqual()
    window.view.dispose()
  })

  const resized: readonly (readonly [string, Workspace])[] = [
    ['with docked panes', readyWorkspace('charts-9')],
    [
      'with a floating pane at its right edge',
      edits.floatPane(readyWorkspace('overview'), 'tape-1', { x: 1_100, y: 500, width: 400, height: 300 }),
    ],
    [
      'with a floating pane larger than the window',
      edits.floatPane(readyWorkspace('overview'), 'tape-1', { x: 100, y: 50, width: 1_200, height: 700 }),
    ],
  ]
  it.each(resized)('moves nothing in the document while the window is resized, %s', (_, workspace) => {
    const window = new Window(workspace, { width: 1_600, height: 900 })
    const elements = () => [...window.host.querySelectorAll('*')]
    const before = elements()
    for (const area of [
      { width: 1_024, height: 640 },
      { width: 2_400, height: 700 },
      { width: 500, height: 300 },
      { width: 1_600, height: 900 },
    ]) {
      window.view.scale(area)
      window.area = area
      window.draw()
      window.expectEqual()
      expect(elements().every((one, i) => one === before[i])).toBe(true)
    }
    window.view.dispose()
  })

  it('resizes a maximized pane and its neighbors in place', () => {
    const window = new Window(edits.toggleMaximised(readyWorkspace('overview'), 'chart-1'), {
      width: 1_600,
      height: 900,
    })
    const group = window.view.panel('tape-1')?.group
    window.area = { width: 1_024, height: 640 }
    window.view.scale(window.area)
    window.draw()
    window.expectEqual()
    window.now = edits.toggleMaximised(window.now, 'chart-1')
    window.draw()
    window.expectEqual()
    expect(window.view.panel('tape-1')?.group).toBe(group)
    window.view.dispose()
  })

  it('leaves the focus on a button of a tab bar while panes move, and its menu open', () => {
    const window = new Window(readyWorkspace('overview'), { width: 1_600, height: 900 })
    const group = () => window.view.panel('tape-1')?.group.element
    const button = group()?.querySelector('button')
    const menu = button?.parentElement?.appendChild(document.createElement('div'))
    if (!button || !menu) throw new Error('the tape has no tab bar')
    menu.setAttribute('popover', 'auto')
    menu.dataset['open'] = ''
    // As in a browser, moving hides it; jsdom has no popovers.
    menu.showPopover = vi.fn()
    button.focus()
    const before = group()
    window.now = edits.movePane(window.now, 'watchlist-1', { of: 'tape-1', side: 'down' })
    window.draw()
    expect(group()).not.toBe(before)
    expect(group()?.contains(button)).toBe(true)
    expect(document.activeElement).toBe(button)
    expect(menu.showPopover).toHaveBeenCalledTimes(1)
    window.expectEqual()
    window.view.dispose()
    expect(window.heads).toBe(0)
  })

  it('reads where a floating pane was dragged in the right half of the window', async () => {
    const box = { x: 900, y: 500, width: 300, height: 200 }
    const window = new Window(edits.floatPane(readyWorkspace('overview'), 'tape-1', box), { width: 1_600, height: 900 })
    const corner = '.dv-resize-handle-bottomright'
    await window.do(step('drag', ({ host }) => drag(host.querySelector(corner), 60, 40, 1_200, 700)))
    window.expectEqual()
    expect(window.now.floats[0]).toMatchObject({ ...box, width: 360, height: 240 })
    window.view.dispose()
  })

  it('keeps the tabs of a floating pane together when one is dropped beside them', async () => {
    const box = { x: 0, y: 0, width: 300, height: 200 }
    const floating = edits.floatPane(readyWorkspace('overview'), 'tape-1', box)
    const window = new Window(edits.movePane(floating, 'quote-1', { of: 'tape-1', side: 'within' }), {
      width: 1_440,
      height: 836,
    })
    const group = () => window.view.panel('tape-1')?.group
    // The first pane comes first again: nothing has changed but that it stands beside the other.
    for (const [pane, position] of [
      ['quote-1', 'right'],
      ['quote-1', 'left'],
    ] as const) {
      await window.do(step('drop', () => window.view.panel(pane)?.api.moveTo({ group: group(), position })))
      window.expectEqual()
      expect(group()?.panels).toHaveLength(2)
    }
    window.view.dispose()
    window.host.remove()
  })

  it('stays equal to the workspace through any commands and gestures', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...READY_NAMES),
        fc.array(fc.oneof(commands, gestures), { maxLength: 20 }),
        async (name, steps) => {
          const window = new Window(readyWorkspace(name), { width: 1_440, height: 836 })
          for (const step of steps) {
            await window.do(step)
            window.expectEqual()
          }
          window.view.dispose()
          window.host.remove()
        },
      ),
      {
        numRuns: 40,
        seed: 749765228,
        path: '34:3:2:8:10:24:25:25:25:27:27:28:9:22:23:23:23:26:28:36',
        endOnFailure: true,
      },
    )
  }, 240_000)
})
