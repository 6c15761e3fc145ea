/** The workspace a window shows: changes apply here at once, are saved by the terminal and can be undone. */
import { untrack, type Snippet } from 'svelte'
import type { WorkspacesState } from '../../../shared/features/workspace/contract.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { Interval } from '../../../shared/core/market/market.ts'
import type { Transport } from '../../../shared/rpc/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import {
  groupsIn,
  panesIn,
  shownGroups,
  shownPanes,
  type Workspace,
  type WorkspacePane,
} from '../../../shared/features/workspace/document.ts'
import * as edits from '../../../shared/features/workspace/edits.ts'
import { layoutOf, type Area, type Layout } from '../../../shared/features/workspace/fit.ts'
import { NO_HISTORY, noted, redone, undone, type LayoutHistory } from '../../../shared/features/workspace/history.ts'
import type { LinkColour, PaneKind } from '../../../shared/features/workspace/kinds.ts'
import { firstLibrary } from '../../../shared/features/workspace/library.ts'
import { usualBelow } from '../../../shared/features/workspace/migrate.ts'
import { partOf, withPart } from '../../../shared/features/workspace/parts.ts'
import { readyWorkspace } from '../../../shared/features/workspace/ready.ts'
import type { DockRoute } from '../../core/window/window-route.ts'
import { t } from '../../../shared/base/text.ts'
import { undoing, type ToastAction, type Toasts } from '../../ui/toasts.svelte.ts'
import type { PaneLayout } from '../../core/window/pane-layout.ts'
import { keepStream } from '../../rpc/follow-stream.ts'
import { paneRow } from '../../core/window/pane-table.ts'

const PUT_AFTER_MS = 250
type Change = (now: Workspace) => Workspace
/** Kinds that open to the right of the chart. Every other kind except charts opens below it. */
const BESIDE: ReadonlySet<PaneKind> = new Set(['watchlist', 'quote', 'tape', 'alerts'])

/** What the dock needs from its window. */
export interface DockWindow {
  readonly transport: Transport
  readonly route: DockRoute
  readonly toasts: Pick<Toasts, 'show'>
  tell(failure: Failure): void
}

export class DockState implements PaneLayout {
  /** True once the terminal has sent its workspaces. */
  ready = $state(false)
  all = $state.raw<readonly Workspace[]>(firstLibrary().workspaces)
  snapshots = $state.raw<WorkspacesState['snapshots']>({})
  /** Id of the workspace this window shows. */
  id = $state(firstLibrary().latest)
  /** Id of this popped-out window within the workspace; null in the main window. */
  readonly window: string | null
  /** Incremented when the front pane should take the focus. */
  focusAsked = $state(0)
  /** Incremented when the workspace menu should open. */
  menuAsked = $state(0)
  /** Tab titles set by panes, by pane id. */
  titles = $state.raw<Readonly<Record<string, string>>>({})
  /** Pane tools rendered in the tab bar, by pane id. */
  tools = $state.raw<Readonly<Record<string, Snippet>>>({})
  /** Crosshair position (UTC ms) by link color, and the pane that set it. */
  crosshairs = $state.raw<Readonly<Partial<Record<LinkColour, { readonly pane: string; readonly ms: number }>>>>({})
  /** Area available for panes, px. */
  area = $state.raw<Area>({ width: 1440, height: 836 })

  /** The whole workspace, as this window knows it. */
  readonly whole = $derived.by<Workspace>(() => this.#whole())
  /** True once this popped-out window has no panes left: they were moved back to the dock or closed. */
  readonly gone = $derived.by(
    () => this.window !== null && (this.#lost || (this.#wasThere && partOf(this.whole, this.window) === null)),
  )
  /** The part of the workspace this window shows. */
  readonly now = $derived.by<Workspace>(() =>
    this.window === null ? this.whole : (partOf(this.whole, this.window) ?? this.whole),
  )
  /** The layout of that part in this window's area. */
  readonly layout = $derived.by<Layout>(() => layoutOf(this.now, this.area))
  /** The pane that shortcuts and the symbol box act on. */
  readonly front = $derived.by<WorkspacePane | undefined>(
    () => edits.paneOf(this.now, this.now.front) ?? this.now.panes[0],
  )
  /** Ids of the visible panes. */
  readonly visible = $derived.by<ReadonlySet<string>>(() => {
    const { dock, maximised } = this.now
    const hidden = groupsIn(dock).filter((one) => maximised !== null && !one.panes.includes(maximised))
    // Created with every change of the workspace, and never modified.
    // eslint-disable-next-line svelte/prefer-svelte-reactivity
    return new Set(shownGroups(this.now).flatMap((one) => (hidden.includes(one) ? [] : [one.front])))
  })
  /** Instruments of the visible panes, the front pane's first. */
  readonly instruments = $derived.by<readonly InstrumentId[]>(() => {
    const { now, visible } = this
    const seen = now.panes.filter((one) => visible.has(one.id)).map((one) => edits.instrumentOf(now, one))
    return [this.instrument, ...seen].filter((one, i, all) => all.indexOf(one) === i)
  })
  readonly instrument = $derived.by<InstrumentId>(() => {
    const pane = this.front
    return pane ? edits.instrumentOf(this.now, pane) : edits.NEW_LINK.instrument
  })
  readonly canUndo = $derived.by(() => this.#history.past.length > 0)
  readonly canRedo = $derived.by(() => this.#history.future.length > 0)
  /** The workspace before the last undoable change. Its identity changes only when a change is made or undone. */
  readonly step = $derived.by<Workspace | undefined>(() => this.#history.past.at(-1))

  #history = $state.raw<LayoutHistory>(NO_HISTORY)
  /** Workspaces changed here that the terminal hasn't confirmed yet, by id. */
  #own = $state.raw<Readonly<Record<string, Workspace>>>({})
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending = 0
  /** Id of the workspace a new window shows. */
  #latest = firstLibrary().latest
  /** Safe mode started or ended, so this window's part is gone, even if a workspace of the same id exists. */
  #lost = $state(false)
  #shown = false
  /** True once this window's part has arrived: the window may open before the other one's change is saved. */
  #wasThere = $state(false)
  #detached = false
  readonly #transport: Transport
  readonly #app: DockWindow
  readonly #close: () => void

  constructor(app: DockWindow) {
    const { transport, route } = app
    this.#transport = transport
    this.#app = app
    this.window = route.window ?? null
    if (route.workspace !== undefined) {
      this.id = route.workspace
      this.#shown = true
    }
    this.#close = keepStream(transport, 'workspaces', {}, (state) => this.#arrived(state))
  }

  #whole(): Workspace {
    const stored = this.all.find((one) => one.id === this.id) ?? this.all[0]
    return this.#own[this.id] ?? stored ?? readyWorkspace('overview')
  }

  #arrived(state: WorkspacesState): void {
    this.all = state.workspaces
    this.snapshots = state.snapshots
    this.#latest = state.latest
    const first = !this.ready
    this.ready = true
    // Other windows never change which workspace this one shows, unless that workspace was removed.
    if ((first && !this.#shown) || !state.workspaces.some((one) => one.id === this.id)) {
      if (!this.#own[this.id]) this.#switchTo(state.latest)
    }
    if (first && this.#detached) this.#own = { [this.id]: this.whole }
    if (this.window !== null && partOf(this.whole, this.window) !== null) this.#wasThere = true
    // While one of our changes is in flight, an arriving state may predate it.
    if (this.#sending === 0 && this.#timer === undefined && !this.#detached) this.#own = {}
  }
  #switchTo(id: string): void {
    if (id === this.id) return
    const { panes } = this.whole
    this.id = id
    this.#history = NO_HISTORY
    // A pane in both workspaces stays mounted and won't set its title again.
    const stays = (one: WorkspacePane) => panes.some(({ id: other, kind }) => other === one.id && kind === one.kind)
    const stayingTitles = this.whole.panes.filter(stays).flatMap(({ id: one }) => {
      const title = this.titles[one]
      return title === undefined ? [] : [[one, title] as const]
    })
    this.titles = Object.fromEntries(stayingTitles)
  }

  /** Changes the part of the workspace that this window shows. `step`: the change can be undone. */
  change(change: Change, step = true): void {
    const before = this.whole
    const after = this.window === null ? change(before) : this.#changePart(before, this.window, change)
    this.#take(before, after, step, false)
  }
  /** Takes over the layout that a gesture made in the view. Panes that it lacks were closed in the view. */
  arrange(layout: Layout): void {
    const shown = shownPanes(layout)
    for (const id of shownPanes(this.now)) if (!shown.includes(id)) this.close(id)
    this.change((now) => edits.arrange(now, layout))
  }
  /** Changes the whole workspace, across all its windows. */
  changeWhole(change: Change, step = true): void {
    this.#take(this.whole, change(this.whole), step, false)
  }
  #changePart(before: Workspace, window: string, change: Change): Workspace {
    const part = partOf(before, window)
    return part ? withPart(before, window, change(part)) : before
  }
  #take(before: Workspace, after: Workspace, step: boolean, replaces: boolean): void {
    if (after === before) return
    if (step) this.#history = noted(this.#history, before, after)
    this.#own = { ...this.#own, [after.id]: after }
    if (this.#detached) return
    clearTimeout(this.#timer)
    if (replaces) this.#put(true)
    else this.#timer = setTimeout(() => this.#put(false), PUT_AFTER_MS)
  }
  #put(replaces: boolean): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const mine = Object.values(this.#own)
    for (const workspace of mine) void this.#send(workspace, replaces)
  }
  async #send(workspace: Workspace, replaces: boolean): Promise<boolean> {
    this.#sending++
    const result = await this.#transport.invoke('workspaces.put', { text: JSON.stringify(workspace), replaces })
    this.#sending--
    if (!result.ok) this.#app.tell(result.error)
    // The stream reports the saved state, but it may have arrived before this reply: then apply the change here.
    if (
      this.#sending === 0 &&
      this.#own[workspace.id] !== undefined &&
      this.#timer === undefined &&
      result.ok &&
      !this.#detached
    ) {
      this.all = this.all.some((one) => one.id === workspace.id)
        ? this.all.map((one) => (one.id === workspace.id ? workspace : one))
        : [...this.all, workspace]
      this.#own = {}
    }
    return result.ok
  }
  /** Safe mode started or ended: drops the shown workspace and its unsaved changes. */
  reload(): void {
    if (this.window !== null) this.#lost = true
    if (this.#detached) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#own = {}
    if (!this.all.some((one) => one.id === this.id)) this.#switchTo(this.#latest)
  }
  /** Sends pending changes immediately. Call it before the window closes or another one reads the workspace. */
  flush(): void {
    if (this.#timer !== undefined) this.#put(false)
  }

  /** Stops saving: from now on changes in this window stay in this window. */
  detach(): void {
    this.#detached = true
    if (this.ready) this.#own = { [this.id]: this.whole }
  }

  undo(): boolean {
    const before = this.whole
    const back = undone(this.#history, before)
    if (!back) return false
    this.#take(before, back[1], false, false)
    this.#history = back[0]
    return true
  }
  redo(): boolean {
    const before = this.whole
    const forth = redone(this.#history, before)
    if (!forth) return false
    this.#take(before, forth[1], false, false)
    this.#history = forth[0]
    return true
  }

  // Workspaces

  /** Shows another workspace in this window. */
  show(id: string): void {
    if (!this.all.some((one) => one.id === id)) return
    this.flush()
    this.#switchTo(id)
    this.focusAsked++
    void this.#transport.invoke('workspaces.show', { id })
  }
  /** Adds a workspace and shows it. Returns whether the terminal accepted it. */
  async add(workspace: Workspace): Promise<boolean> {
    this.flush()
    this.#own = { ...this.#own, [workspace.id]: workspace }
    if (!(await this.#send(workspace, false))) {
      this.#own = {}
      return false
    }
    if (!this.all.some((one) => one.id === workspace.id)) this.all = [...this.all, workspace]
    this.show(workspace.id)
    return true
  }
  /** Replaces the shown workspace. The previous state is saved as a snapshot, and the change can be undone. */
  replace(workspace: Workspace): void {
    const before = this.whole
    this.#take(before, { ...workspace, id: before.id }, true, true)
  }
  async remove(id: string): Promise<boolean> {
    this.flush()
    const next = this.all.find((one) => one.id !== id)
    const result = await this.#transport.invoke('workspaces.remove', { id })
    if (!result.ok) {
      this.#app.tell(result.error)
      return false
    }
    if (this.id === id && next) this.#switchTo(next.id)
    return true
  }
  async snapshot(id: string, atMs: number): Promise<Workspace | null> {
    const result = await this.#transport.invoke('workspaces.snapshot', { id, atMs })
    if (result.ok) return result.value
    this.#app.tell(result.error)
    return null
  }

  // Panes

  /** The first pane of a kind, visible ones first. */
  first(kind: PaneKind): WorkspacePane | undefined {
    const all = this.now.panes.filter((one) => one.kind === kind)
    return all.find((one) => this.visible.has(one.id)) ?? all[0]
  }
  /** The first visible pane of a kind. */
  shown(kind: PaneKind): WorkspacePane | undefined {
    return this.now.panes.find((one) => one.kind === kind && this.visible.has(one.id))
  }
  isShown(kind: PaneKind): boolean {
    return this.shown(kind) !== undefined
  }
  toggle(kind: PaneKind): void {
    const shown = this.shown(kind)
    if (shown) this.close(shown.id)
    else this.open(kind)
  }
  /** Shows and focuses a pane of a kind, adding one if there is none. */
  open(kind: PaneKind): void {
    const found = this.first(kind)
    if (found) this.focus(found.id)
    else this.addPane(kind)
  }
  focus(id: string): void {
    if (this.now.front !== id || !this.visible.has(id)) this.change((now) => edits.setFront(now, id), false)
    this.focusAsked++
  }
  /** Records that dockview brought a pane to the front. */
  fronted(id: string): void {
    if (this.now.front !== id || !this.visible.has(id)) this.change((now) => edits.setFront(now, id), false)
  }
  /** Adds a pane next to panes of similar kinds, with the front pane's link color. */
  addPane(kind: PaneKind, spot: edits.Spot | null = null): void {
    const { front } = this
    const pane: WorkspacePane = {
      id: edits.freshId(this.whole, kind),
      kind,
      link: front?.link ?? 'blue',
      instrument: front && front.link === null ? edits.instrumentOf(this.now, front) : null,
      settings: kind === 'chart' && front?.kind === 'chart' ? front.settings : {},
    }
    this.change((now) => {
      const place = spot ? { spot, size: null } : this.#placeFor(now, kind)
      return edits.addPane(now, pane, place.spot, place.size)
    })
    this.focusAsked++
  }
  /** Adds a copy of a pane to its group. */
  duplicate(id: string): void {
    const pane = edits.paneOf(this.now, id)
    if (!pane) return
    const copy = { ...pane, id: edits.freshId(this.whole, pane.kind) }
    this.change((now) => edits.addPane(now, copy, { of: id, side: 'within' }))
    this.focusAsked++
  }
  #placeFor(now: Workspace, kind: PaneKind): { readonly spot: edits.Spot; readonly size: number | null } {
    const [first = ''] = panesIn(now.dock)
    const ids = panesIn(now.dock)
    const anchor = now.panes.find((one) => one.kind === 'chart' && ids.includes(one.id))?.id ?? first
    const likes = (one: WorkspacePane) =>
      kind === 'chart' ? one.kind === 'chart' : one.kind !== 'chart' && BESIDE.has(one.kind) === BESIDE.has(kind)
    const beside = now.panes.filter((one) => ids.includes(one.id) && likes(one) && one.kind !== 'watchlist')
    const mate = beside.find((one) => this.visible.has(one.id)) ?? beside[0]
    if (mate) return { spot: { of: mate.id, side: 'within' }, size: null }
    if (BESIDE.has(kind)) return { spot: { of: anchor, side: 'right' }, size: 252 }
    if (kind === 'chart') return { spot: { of: anchor, side: 'right' }, size: null }
    return { spot: { of: anchor, side: 'down' }, size: usualBelow(kind) }
  }
  /** A toast action that undoes the last layout change, as long as no other change follows. */
  undoingLayout(): ToastAction {
    const { step } = this
    return undoing(
      () => void this.undo(),
      () => this.step === step,
    )
  }
  /** Shows a toast that a pane was closed, with an undo action. */
  toldClosed(title: string): void {
    this.#app.toasts.show(t('{title} closed.', { title }), { action: this.undoingLayout() })
  }
  /** Closes a pane and offers an undo. The last pane can't be closed. */
  close(id: string): void {
    const title = this.titleOf(id)
    if (edits.closePane(this.now, id) === this.now)
      return this.#app.toasts.show(t('This is the only pane. Add another one before you close it.'))
    this.change((now) => edits.closePane(now, id))
    this.toldClosed(title)
  }
  /** The tab title of a pane: the one set with `title`, else the name of its kind. */
  titleOf(id: string): string {
    const told = this.titles[id]
    if (told !== undefined && told !== '') return told
    const pane = edits.paneOf(this.whole, id)
    return pane ? paneRow(pane.kind).title : ''
  }

  title(id: string, text: string): void {
    // Panes call this from effects, which must not depend on the state they write.
    const before = untrack(() => this.titles)
    if (before[id] !== text) this.titles = { ...before, [id]: text }
  }
  setTools(id: string, snippet: Snippet | null): void {
    const { [id]: _before, ...others } = untrack(() => this.tools)
    this.tools = snippet ? { ...others, [id]: snippet } : others
  }
  setCrosshair(colour: LinkColour, pane: string, ms: number | null): void {
    const { [colour]: before, ...others } = untrack(() => this.crosshairs)
    if (ms !== null) this.crosshairs = { ...others, [colour]: { pane, ms } }
    else if (before?.pane === pane) this.crosshairs = others
  }
  select(instrument: InstrumentId, pane: string | undefined = this.front?.id): void {
    if (pane !== undefined) this.change((now) => edits.setInstrument(now, pane, instrument), false)
  }
  /** The chart that shortcuts act on: the front pane if it is a chart, else the first chart, visible ones first. */
  get chart(): WorkspacePane | undefined {
    return this.front?.kind === 'chart' ? this.front : this.first('chart')
  }
  setInterval(interval: Interval): void {
    const pane = this.chart
    if (pane)
      this.change((now) =>
        edits.setLinkInterval(edits.setPaneSettings(now, pane.id, { interval, ticks: false }), pane.id, interval),
      )
  }

  /** The window is closing: sends pending changes and ends the stream. */
  dispose(): void {
    this.flush()
    this.#close()
  }
}
