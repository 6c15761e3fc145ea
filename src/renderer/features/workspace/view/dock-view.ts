/** Renders layouts with dockview and reports the layouts that gestures make. The only file that knows its format. */
import {
  DockviewComponent,
  type DockviewApi,
  type DockviewGroupPanel,
  type IContentRenderer,
  type IDockviewPanel,
  type IHeaderActionsRenderer,
  type ITabRenderer,
  type SerializedDockview,
} from 'dockview'
import {
  panesIn,
  shownGroups,
  tabsOf,
  tidy,
  type DockGroup,
  type DockNode,
} from '../../../../shared/features/workspace/document.ts'
import {
  boxesOf,
  leastOf,
  sameShape,
  type Area,
  type KindOf,
  type Layout,
} from '../../../../shared/features/workspace/fit.ts'
import { keepPlaces } from './keep-places.ts'
import { resizeGroups } from './resize-groups.ts'
import 'dockview/dist/styles/dockview.css'
import './dock.css'

type Grid = SerializedDockview['grid']

/** What the view is made of, and whom it tells about gestures. */
export interface DockOwner {
  readonly content: (pane: string) => IContentRenderer
  readonly tab: (pane: string) => ITabRenderer
  /** Creates the right end of a group's tab bar. */
  readonly createHead: (group: DockviewGroupPanel) => DockHead
  readonly kindOf: KindOf
  readonly titleOf: (pane: string) => string
  /** The user moved, resized, floated or closed panes. */
  readonly arrange: (layout: Layout) => void
  /** The user brought a pane to the front. */
  readonly fronted: (pane: string) => void
}

/** The right end of a group's tab bar. It outlives the groups that dockview replaces. */
export interface DockHead {
  readonly element: HTMLElement
  /** Shows the front pane of this group from now on. */
  readonly show: (group: DockviewGroupPanel) => void
  readonly dispose: () => void
}

/** Dockview's id of a group that is rendered with this front pane. */
const groupId = (front: string): string => `group-${front}`

/** Each render of a layout creates new groups. A group takes over the head of its front pane, with the focus in it. */
class DockHeads {
  readonly #create: (group: DockviewGroupPanel) => DockHead
  readonly #inUse = new Map<DockviewGroupPanel, DockHead>()
  /** Heads of replaced groups, by the id that their successor will have. */
  readonly #spare = new Map<string, DockHead>()

  constructor(create: (group: DockviewGroupPanel) => DockHead) {
    this.#create = create
  }

  /** The head of a group that dockview creates. */
  rendererOf(group: DockviewGroupPanel): IHeaderActionsRenderer {
    const head = this.#spare.get(group.id) ?? this.#create(group)
    this.#spare.delete(group.id)
    this.#inUse.get(group)?.dispose()
    this.#inUse.set(group, head)
    return {
      element: head.element,
      init: () => head.show(group),
      dispose: () => {
        // The head may belong to another group by now.
        if (this.#inUse.get(group) !== head) return
        this.#inUse.delete(group)
        head.dispose()
      },
    }
  }

  /** Runs `replace`, which replaces all groups, and disposes of the heads that no new group took over. */
  replaceGroups(replace: () => void): void {
    for (const [group, head] of this.#inUse) {
      if (!group.activePanel) continue
      this.#inUse.delete(group)
      this.#spare.set(groupId(group.activePanel.id), head)
    }
    try {
      replace()
    } finally {
      for (const head of this.#spare.values()) head.dispose()
      this.#spare.clear()
    }
  }
}

export class DockView {
  readonly #host: HTMLElement
  /** Only dockview's component positions floating groups; its API can't. */
  readonly #component: DockviewComponent
  readonly #api: DockviewApi
  readonly #owner: DockOwner
  readonly #heads: DockHeads
  /** The layout on screen. Null while it is no layout of ours: at first, and while the window is being resized. */
  #shown: Layout | null = null
  /** The tree of the groups on screen (`treeOf`); '' after a gesture changed it, because dockview may nest them otherwise. */
  #tree = ''
  #isRendering = false

  constructor(host: HTMLElement, owner: DockOwner) {
    this.#host = host
    this.#owner = owner
    this.#heads = new DockHeads(owner.createHead)
    this.#component = new DockviewComponent(host, {
      createComponent: ({ id }) => owner.content(id),
      createTabComponent: ({ id }) => owner.tab(id),
      createRightHeaderActionComponent: (group) => this.#heads.rendererOf(group),
      theme: { name: 'tapedeck', className: 'dock-theme', gap: 0, dndTabIndicator: 'line' },
      disableAutoResizing: true,
      scrollbars: 'native',
      // Dockview's overflow list can't be reached with the keyboard; DockActions has its own.
      disableTabsOverflowList: true,
      floatingGroupDragHandle: 'tabbar',
      floatingGroupBounds: 'boundedWithinViewport',
      defaultTabComponent: 'tab',
      // The window makes its own announcements.
      announcements: false,
    })
    this.#api = this.#component.api
    // Dockview's live regions stay empty, but even an empty alert region counts as one.
    for (const region of host.querySelectorAll('.dv-live-region, .dv-live-region-assertive')) region.remove()
    this.#api.onDidLayoutChange(() => this.#takeGesture())
    this.#api.onDidActivePanelChange(({ panel }) => {
      if (panel && !this.#isRendering) owner.fronted(panel.id)
    })
  }

  /** Shows a layout with `front` focused. Panes that are already mounted stay mounted. */
  render(layout: Layout, front: string): void {
    this.#isRendering = true
    try {
      if (!this.#shown || !sameShape(layout, this.#shown)) {
        const tree = treeOf(layout)
        if (tree !== this.#tree || !this.#resize(layout)) this.#replace(layout)
        this.#tree = tree
      }
      this.#shown = layout
      const full = layout.maximised === null ? undefined : this.panel(layout.maximised)
      if (full && !full.api.isMaximized()) full.api.maximize()
      else if (!full && this.#api.hasMaximizedGroup()) this.#api.exitMaximizedGroup()
      for (const group of shownGroups(layout)) {
        const panel = this.panel(group.front)
        if (panel && panel.group.activePanel !== panel) panel.api.setActive()
      }
      const active = this.panel(front)
      if (active && this.#api.activePanel !== active) active.api.setActive()
    } finally {
      this.#isRendering = false
    }
  }
  /** Replaces all groups, and moves the panes into the new ones. */
  #replace(layout: Layout): void {
    const { width, height } = layout.area
    this.#heads.replaceGroups(() =>
      keepPlaces(this.#host, () => {
        this.#api.layout(width, height, true)
        this.#api.fromJSON(toDockview(layout, this.#owner), { reuseExistingPanels: true })
        this.#api.layout(width, height, true)
      }),
    )
  }
  /**
   * Resizes the groups on screen, which have the layout's tree. Nothing moves in the document, so whatever is open in a
   * pane stays open. Returns false if dockview can't give them these sizes.
   */
  #resize(layout: Layout): boolean {
    const { width, height } = layout.area
    if (this.#api.hasMaximizedGroup()) this.#api.exitMaximizedGroup()
    const groups = boxesOf(layout.dock, { x: 0, y: 0, ...layout.area })
    const groupOf = (pane: string) => this.panel(pane)?.group
    for (const { group } of groups) groupOf(group.front)?.api.setConstraints({ minimumWidth: 0, minimumHeight: 0 })
    this.#api.layout(width, height, true)
    resizeGroups(layout.dock, groupOf)
    for (const { group, box } of groups) groupOf(group.front)?.api.setConstraints(minimumOf(group, box, this.#owner))
    for (const { dock: group, x, y, ...size } of layout.floats) {
      const floating = groupOf(group.front)
      if (!floating) return false
      floating.api.setConstraints({ minimumWidth: 0, minimumHeight: 0 })
      this.#component.getFloatingWindowForGroup(floating)?.position({ left: x, top: y, ...size })
      floating.api.setConstraints(minimumOf(group, size, this.#owner))
    }
    return sameShape(this.layout, layout)
  }
  #takeGesture(): void {
    const before = this.#shown
    if (!before) return
    const { layout } = this
    // Dockview can split a floating window. Ours have only tabs, so it is rendered again even if nothing else changed.
    const floating = this.#api.groups.filter(({ api }) => api.location.type === 'floating')
    const isOurs = floating.length <= layout.floats.length
    if (isOurs && sameShape(layout, before) && (layout.maximised === null) === (before.maximised === null)) return
    // Dockview keeps the minimum sizes of former groups, so changed groups are rendered again.
    this.#shown = isOurs && tabsIn(layout) === tabsIn(before) ? layout : null
    if (!isOurs || treeOf(layout) !== this.#tree) this.#tree = ''
    this.#owner.arrange(layout)
  }
  get layout(): Layout {
    return fromDockview(this.#api)
  }
  /** Scales what is shown while the window is being resized. Call `render` when it has its new size. */
  scale({ width, height }: Area): void {
    this.#shown = null
    this.#api.layout(width, height, true)
  }
  /** The dockview panel of a pane, or undefined. */
  panel(pane: string): IDockviewPanel | undefined {
    return this.#api.getPanel(pane)
  }
  dispose(): void {
    this.#api.dispose()
  }
}

const tabsIn = (layout: Layout) => JSON.stringify(shownGroups(layout).map((one) => one.panes))

/** The groups of a layout and how they are nested, without sizes and without which tabs are in front. */
function treeOf({ dock, floats }: Layout): string {
  const tree = (one: DockNode): unknown => (one.is === 'group' ? one.panes : [one.axis, one.parts.map(tree)])
  return JSON.stringify([tree(dock), floats.map((one) => one.dock.panes)])
}

/** The minimum size of a group. Without room for the minimums, the layout is smaller than them. */
function minimumOf(group: DockGroup, { width, height }: Area, { kindOf }: Pick<DockOwner, 'kindOf'>) {
  const least = leastOf(group, kindOf)
  return { minimumWidth: Math.min(least.width, width), minimumHeight: Math.min(least.height, height) }
}

function toDockview(layout: Layout, owner: DockOwner): SerializedDockview {
  const { area, dock, floats } = layout
  const state = (group: DockGroup) => ({ views: [...group.panes], activeView: group.front, id: groupId(group.front) })
  const node = (one: DockNode): Grid['root'] =>
    one.is === 'group'
      ? { type: 'leaf', data: state(one), size: one.size }
      : { type: 'branch', data: one.parts.map(node), size: one.size }
  const tree: DockNode =
    dock.is === 'split' ? dock : { is: 'split', axis: 'row', parts: [{ ...dock, size: area.width }], size: 0 }
  const panel = (id: string, group: DockGroup, size: Area) => {
    const title = owner.titleOf(id)
    return [id, { id, contentComponent: 'pane', tabComponent: 'tab', title, ...minimumOf(group, size, owner) }] as const
  }
  return {
    grid: {
      root: node({ ...tree, size: tree.axis === 'row' ? area.height : area.width }),
      width: area.width,
      height: area.height,
      // Values of dockview's Orientation enum.
      orientation: (tree.axis === 'row' ? 'HORIZONTAL' : 'VERTICAL') as Grid['orientation'],
    },
    panels: Object.fromEntries([
      ...boxesOf(dock, { x: 0, y: 0, ...area }).flatMap(({ group, box }) =>
        group.panes.map((id) => panel(id, group, box)),
      ),
      ...floats.flatMap(({ dock: group, ...box }) => group.panes.map((id) => panel(id, group, box))),
    ]),
    floatingGroups: floats.map(({ dock: group, x, y, width, height }) => ({
      data: state(group),
      position: { left: x, top: y, width, height },
    })),
  }
}

function fromDockview(api: DockviewApi): Layout {
  const { grid, floatingGroups = [] } = api.toJSON()
  const area = { width: Math.round(grid.width), height: Math.round(grid.height) }
  const node = (one: Grid['root'], axis: 'row' | 'column'): DockNode =>
    Array.isArray(one.data)
      ? {
          is: 'split',
          axis,
          parts: one.data.map((part) => node(part, axis === 'row' ? 'column' : 'row')),
          size: sizeOf(one),
        }
      : groupOf(one.data, sizeOf(one))
  const tree = node(grid.root, grid.orientation === ('HORIZONTAL' as Grid['orientation']) ? 'row' : 'column')
  const dock = tidy(tree, new Set(panesIn(tree))) ?? groupOf({ views: [] }, 0)
  const floats = floatingGroups.map(({ data, grid: split, position }) => {
    const { width, height } = position
    return {
      x: Math.round('left' in position ? position.left : area.width - position.right - width),
      y: Math.round('top' in position ? position.top : area.height - position.bottom - height),
      width: Math.round(width),
      height: Math.round(height),
      dock: tabsOf(split ? node(split.root, 'row') : groupOf(data ?? { views: [] }, 0), api.activePanel?.id),
    }
  })
  const maximised = api.groups.find((one) => one.api.isMaximized())?.activePanel?.id ?? null
  return { area, dock: { ...dock, size: 0 }, floats, maximised }
}
const sizeOf = (one: Grid['root']): number => Math.round(one.size ?? 0)
const groupOf = (
  { views, activeView }: { readonly views: readonly string[]; readonly activeView?: string | undefined },
  size: number,
): DockGroup => ({ is: 'group', panes: views, front: activeView ?? views[0] ?? '', size })
