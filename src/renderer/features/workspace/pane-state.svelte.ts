/** Implements `PaneContext`: the dock as one pane sees it. */
import type { Snippet } from 'svelte'
import type { Interval } from '../../../shared/core/market/market.ts'
import { parseInstrument, type AssetClass, type InstrumentId } from '../../../shared/base/units.ts'
import type { WorkspacePane } from '../../../shared/features/workspace/document.ts'
import * as edits from '../../../shared/features/workspace/edits.ts'
import * as links from '../../../shared/features/workspace/links.ts'
import type { LinkColour, PaneKind } from '../../../shared/features/workspace/kinds.ts'
import { zoneOf } from '../../text/zones.ts'
import type { DockState } from './dock.svelte.ts'
import type { PaneContext, PaneSettings } from '../../core/window/pane-context.ts'

export class PaneState implements PaneContext {
  readonly id: string
  readonly kind: PaneKind
  readonly #dock: DockState
  readonly #zoneSetting: () => string
  /** The last known pane: a closing pane still needs its kind, color and settings. */
  #last: WorkspacePane
  readonly #pane = $derived.by<WorkspacePane>(() => this.#find())
  readonly instrument = $derived.by<InstrumentId>(() => links.instrumentOf(this.#dock.whole, this.#pane))
  readonly #shared = $derived.by(() => (this.#pane.link === null ? undefined : this.#dock.whole.links[this.#pane.link]))

  /** `zoneSetting` returns the window's time zone setting; reactive. */
  constructor(dock: DockState, pane: WorkspacePane, zoneSetting: () => string) {
    this.#dock = dock
    this.#zoneSetting = zoneSetting
    this.#last = pane
    this.id = pane.id
    this.kind = pane.kind
  }

  #find(): WorkspacePane {
    const found = edits.paneOf(this.#dock.whole, this.id)
    if (found) this.#last = found
    return this.#last
  }
  get link(): LinkColour | null {
    return this.#pane.link
  }
  get asset(): AssetClass {
    return parseInstrument(this.instrument)?.asset ?? 'crypto'
  }
  get zone(): string {
    return zoneOf(this.#zoneSetting(), this.asset)
  }
  select(instrument: InstrumentId): void {
    this.#dock.select(instrument, this.id)
  }
  get interval(): Interval | null {
    return this.#shared?.shares.includes('interval') ? this.#shared.interval : null
  }
  setInterval(interval: Interval): void {
    this.#dock.change((now) => links.setLinkInterval(now, this.id, interval), false)
  }
  get crosshair(): number | null {
    const { link } = this.#pane
    if (link === null || !this.#shared?.shares.includes('crosshair')) return null
    const at = this.#dock.crosshairs[link]
    return at && at.pane !== this.id ? at.ms : null
  }
  setCrosshair(ms: number | null): void {
    const { link } = this.#pane
    if (link !== null) this.#dock.setCrosshair(link, this.id, ms)
  }
  get settings(): PaneSettings {
    return this.#pane.settings
  }
  setSettings(patch: PaneSettings): void {
    this.#dock.change((now) => edits.setPaneSettings(now, this.id, patch))
  }
  title(text: string): void {
    this.#dock.title(this.id, text)
  }
  tools(snippet: Snippet | null): void {
    this.#dock.setTools(this.id, snippet)
  }
  get visible(): boolean {
    return this.#dock.visible.has(this.id)
  }
  get active(): boolean {
    return this.#dock.now.front === this.id
  }
  get isFirst(): boolean {
    return this.#dock.first(this.kind)?.id === this.id
  }
  get isKeyChart(): boolean {
    return this.#dock.chart?.id === this.id
  }
  focus(): void {
    this.#dock.focus(this.id)
  }
}
