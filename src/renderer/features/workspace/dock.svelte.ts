/** The panes of a window and what they share: titles, tools, crosshairs and the focus. */
import { untrack, type Snippet } from 'svelte'
import type { Interval } from '../../../shared/core/market/market.ts'
import type { ChartSpread } from '../../../shared/features/chart/chart-settings.ts'
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
import * as links from '../../../shared/features/workspace/links.ts'
import { layoutOf, type Area, type Layout } from '../../../shared/features/workspace/fit.ts'
import type { LinkColour, PaneKind } from '../../../shared/features/workspace/kinds.ts'
import { t } from '../../../shared/base/text.ts'
import { undoing, type ToastAction } from '../../ui/toasts.svelte.ts'
import type { PaneLayout } from '../../core/window/pane-layout.ts'
import { ShownWorkspace } from './shown-workspace.svelte.ts'
import { paneRow } from '../../core/window/pane-table.ts'

/** Kinds that open to the right of the chart. Every other kind except charts opens below it. */
const BESIDE: ReadonlySet<PaneKind> = new Set(['watchlist', 'quote', 'tape', 'alerts'])
/** Panes that open taller below the chart. */
const TALL: ReadonlySet<PaneKind> = new Set([
  'company',
  'earnings',
  'news',
  'commodities',
  'technical',
  'team',
  'health',
  'screener',
])

export class DockState extends ShownWorkspace implements PaneLayout {
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
  /**
   * Where panes that float were docked, by workspace and pane, so that they return there. Not saved, so a reload forgets
   * it.
   */
  // Read by no template.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly floated = new Map<string, edits.Floated>()
  /** Area available for panes, px. */
  area = $state.raw<Area>({ width: 1440, height: 836 })

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
    const seen = now.panes.filter((one) => visible.has(one.id)).map((one) => links.instrumentOf(now, one))
    return [this.instrument, ...seen].filter((one, i, all) => all.indexOf(one) === i)
  })
  readonly instrument = $derived.by<InstrumentId>(() => {
    const pane = this.front
    return pane ? links.instrumentOf(this.now, pane) : links.NEW_LINK.instrument
  })
  /** Takes over the layout that a gesture made in the view. Panes that it lacks were closed in the view. */
  arrange(layout: Layout): void {
    const shown = shownPanes(layout)
    for (const id of shownPanes(this.now)) if (!shown.includes(id)) this.close(id)
    this.change((now) => edits.arrange(now, layout))
  }
  override show(id: string): void {
    const { panes } = this.whole
    super.show(id)
    if (this.id !== id) return
    // A pane in both workspaces stays mounted and won't set its title again.
    const stays = (pane: string) => {
      const kind = edits.paneOf(this.whole, pane)?.kind
      return kind !== undefined && panes.some((one) => one.id === pane && one.kind === kind)
    }
    this.titles = Object.fromEntries(Object.entries(this.titles).filter(([pane]) => stays(pane)))
    this.focusAsked++
  }

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
    if (!shown) return this.open(kind)
    // The same key shows it again, so this needs no notification.
    const title = this.titleOf(shown.id)
    if (this.#remove(shown.id)) this.app.toasts.say(t('{title} closed.', { title }))
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
      instrument: front && front.link === null ? links.instrumentOf(this.now, front) : null,
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
    return { spot: { of: anchor, side: 'down' }, size: TALL.has(kind) ? 372 : 190 }
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
    this.app.toasts.show(t('{title} closed.', { title }), { action: this.undoingLayout() })
  }
  /** Closes a pane and offers an undo. The last pane can't be closed. */
  close(id: string): void {
    const title = this.titleOf(id)
    if (this.#remove(id)) this.toldClosed(title)
  }
  /** False if it is the last pane, which the user is told. */
  #remove(id: string): boolean {
    const isLast = edits.closePane(this.now, id) === this.now
    if (isLast) this.app.toasts.show(t('This is the only pane. Add another one before you close it.'))
    else this.change((now) => edits.closePane(now, id))
    return !isLast
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
    if (pane !== undefined) this.change((now) => links.setInstrument(now, pane, instrument), false)
  }
  /** Shows the ratio of two instruments on the chart that shortcuts act on. `label`: the symbol of the second one. */
  showRatio(of: InstrumentId, by: InstrumentId, label: string): void {
    const pane = this.chart
    if (!pane) return
    const spread: ChartSpread = { of, with: by, label, operator: '/' }
    this.change((now) => edits.setPaneSettings(links.setInstrument(now, pane.id, of), pane.id, { spread }))
  }
  /** The chart that shortcuts act on: the front pane if it is a chart, else the first chart, visible ones first. */
  get chart(): WorkspacePane | undefined {
    return this.front?.kind === 'chart' ? this.front : this.first('chart')
  }
  setInterval(interval: Interval | 'ticks'): void {
    const pane = this.chart
    if (!pane) return
    if (interval === 'ticks')
      this.change((now) => edits.setPaneSettings(now, pane.id, { ticks: true, eventBars: null }))
    else
      this.change((now) =>
        links.setLinkInterval(
          edits.setPaneSettings(now, pane.id, { interval, ticks: false, eventBars: null }),
          pane.id,
          interval,
        ),
      )
  }
}
