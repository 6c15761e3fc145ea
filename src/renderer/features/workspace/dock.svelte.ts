/** The workspace of a window: shown at once, kept by the terminal, taken back step by step. */
import { untrack, type Snippet } from 'svelte'
import type { WorkspacesState } from '../../../shared/features/workspace/contract.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { Interval } from '../../../shared/core/market/market.ts'
import type { Transport } from '../../../shared/rpc/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { groupsIn, panesIn, type Workspace, type WorkspacePane } from '../../../shared/features/workspace/document.ts'
import * as edits from '../../../shared/features/workspace/edits.ts'
import type { Area } from '../../../shared/features/workspace/fit.ts'
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
/** Panes of research and lists stand below what draws; these beside it. */
const BESIDE: ReadonlySet<PaneKind> = new Set(['watchlist', 'quote', 'tape', 'alerts'])

/** The window as its panes need it. */
export interface DockWindow {
  readonly transport: Transport
  readonly route: DockRoute
  readonly toasts: Pick<Toasts, 'show'>
  tell(failure: Failure): void
}

export class DockState implements PaneLayout {
  /** Whether the terminal's own workspaces came. */
  ready = $state(false)
  all = $state.raw<readonly Workspace[]>(firstLibrary().workspaces)
  snapshots = $state.raw<WorkspacesState['snapshots']>({})
  /** The workspace that this window shows. */
  id = $state(firstLibrary().latest)
  /** The part of it that this window is, if it was popped out. */
  readonly window: string | null
  /** Grows when the pane in front should take the focus. */
  focusAsked = $state(0)
  /** Grows when the menu of workspaces should open. */
  menuAsked = $state(0)
  /** What tabs say where a pane told so, by pane. */
  titles = $state.raw<Readonly<Record<string, string>>>({})
  /** Tools of panes that stand in the line of their tabs, by pane. */
  tools = $state.raw<Readonly<Record<string, Snippet>>>({})
  /** Where crosshairs stand by colour, UTC ms, and which pane put them there. */
  crosshairs = $state.raw<Readonly<Partial<Record<LinkColour, { readonly pane: string; readonly ms: number }>>>>({})
  /** Room for panes, px. */
  area = $state.raw<Area>({ width: 1440, height: 836 })

  /** The whole workspace, as this window knows it. */
  readonly whole = $derived.by<Workspace>(() => this.#whole())
  /** This window's part is no more: its panes are back in the dock, or closed. */
  readonly gone = $derived.by(
    () => this.window !== null && (this.#lost || (this.#wasThere && partOf(this.whole, this.window) === null)),
  )
  /** What this window shows of it. */
  readonly now = $derived.by<Workspace>(() =>
    this.window === null ? this.whole : (partOf(this.whole, this.window) ?? this.whole),
  )
  /** The pane that keys and the symbol box speak to. */
  readonly front = $derived.by<WorkspacePane | undefined>(
    () => edits.paneOf(this.now, this.now.front) ?? this.now.panes[0],
  )
  /** Ids of the panes that can be seen. */
  readonly visible = $derived.by<ReadonlySet<string>>(() => {
    const { dock, floats, maximised } = this.now
    const groups = groupsIn(dock).filter((one) => maximised === null || one.panes.includes(maximised))
    // Created with every change of the workspace, and never modified.
    // eslint-disable-next-line svelte/prefer-svelte-reactivity
    return new Set([...groups, ...floats.flatMap((one) => groupsIn(one.dock))].map((one) => one.front))
  })
  /** What the visible panes show, the active one first. */
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
  /** The last change of the layout, as what was before it; the same one until another is made or it is undone. */
  readonly step = $derived.by<Workspace | undefined>(() => this.#history.past.at(-1))

  #history = $state.raw<LayoutHistory>(NO_HISTORY)
  /** Changed here and not yet told back by the terminal, by id. */
  #own = $state.raw<Readonly<Record<string, Workspace>>>({})
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending = 0
  /** The workspace that a new window shows. */
  #latest = firstLibrary().latest
  /** What this window was a part of is kept nowhere any more, whatever has its name now. */
  #lost = $state(false)
  #shown = false
  /** The part that this window shows came: it may open before the other window's change is kept. */
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
    // What this window shows stays, whatever others do; but it may be gone.
    if ((first && !this.#shown) || !state.workspaces.some((one) => one.id === this.id)) {
      if (!this.#own[this.id]) this.#switchTo(state.latest)
    }
    if (first && this.#detached) this.#own = { [this.id]: this.whole }
    if (this.window !== null && partOf(this.whole, this.window) !== null) this.#wasThere = true
    // While a change of ours is on its way, what arrives may be from before it.
    if (this.#sending === 0 && this.#timer === undefined && !this.#detached) this.#own = {}
  }
  #switchTo(id: string): void {
    if (id === this.id) return
    const { panes } = this.whole
    this.id = id
    this.#history = NO_HISTORY
    // A pane that is in both stays as it is, and has no reason to tell its title again.
    const stays = (one: WorkspacePane) => panes.some(({ id: other, kind }) => other === one.id && kind === one.kind)
    const stayingTitles = this.whole.panes.filter(stays).flatMap(({ id: one }) => {
      const title = this.titles[one]
      return title === undefined ? [] : [[one, title] as const]
    })
    this.titles = Object.fromEntries(stayingTitles)
  }

  /** Changes the workspace as this window shows it. `step`: it can be taken back. */
  change(change: Change, step = true): void {
    const before = this.whole
    const after = this.window === null ? change(before) : this.#changePart(before, this.window, change)
    this.#take(before, after, step, false)
  }
  /** Changes the workspace with all its windows. */
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
    // The stream tells what is kept; where it came first, this is the last word.
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
  /** Safe mode has begun or ended: what was shown is no more, nor what was done to it here. */
  reload(): void {
    if (this.window !== null) this.#lost = true
    if (this.#detached) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#own = {}
    if (!this.all.some((one) => one.id === this.id)) this.#switchTo(this.#latest)
  }
  /** Sends at once what still waits: the window is about to go. */
  flush(): void {
    if (this.#timer !== undefined) this.#put(false)
  }

  /** From now on this window keeps its workspace to itself: what is done here stays here. */
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
  /** Adds a workspace, shows it, and answers whether the terminal took it. */
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
  /** Puts another state in the place of what is shown; the former is kept as a snapshot, and can be taken back. */
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
  /** The pane of a kind that can be seen. */
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
  /** Shows a pane of a kind, the one that there is or a new one, and lets it take the focus. */
  open(kind: PaneKind): void {
    const found = this.first(kind)
    if (found) this.focus(found.id)
    else this.addPane(kind)
  }
  focus(id: string): void {
    if (this.now.front !== id || !this.visible.has(id)) this.change((now) => edits.setFront(now, id), false)
    this.focusAsked++
  }
  /** A pane became the one in front by other means than ours. */
  fronted(id: string): void {
    if (this.now.front !== id || !this.visible.has(id)) this.change((now) => edits.setFront(now, id), false)
  }
  /** Adds a pane of a kind where such panes stand, in the colour of the one in front. */
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
  /** Adds another pane that shows the same, within the same group. */
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
  /** Takes back the last change of the layout, for as long as it is the last. */
  undoingLayout(): ToastAction {
    const { step } = this
    return undoing(
      () => void this.undo(),
      () => this.step === step,
    )
  }
  /** Says that a pane was closed, and offers it back. */
  toldClosed(title: string): void {
    this.#app.toasts.show(t('{title} closed.', { title }), { action: this.undoingLayout() })
  }
  /** With a way back. The last pane stays. */
  close(id: string): void {
    const title = this.titleOf(id)
    if (edits.closePane(this.now, id) === this.now)
      return this.#app.toasts.show(t('This is the only pane. Add another one before you close it.'))
    this.change((now) => edits.closePane(now, id))
    this.toldClosed(title)
  }
  /** What the tab of a pane says; see `title`. */
  titleOf(id: string): string {
    const told = this.titles[id]
    if (told !== undefined && told !== '') return told
    const pane = edits.paneOf(this.whole, id)
    return pane ? paneRow(pane.kind).title : ''
  }

  title(id: string, text: string): void {
    // Panes tell from effects, which must not follow what they tell.
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
  /** Settings of the chart that gets keys: the active one, else the first visible one. */
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

  /** The window goes: what still waits is sent. */
  dispose(): void {
    this.flush()
    this.#close()
  }
}
