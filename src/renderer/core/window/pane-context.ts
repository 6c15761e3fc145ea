/** What a pane of the dock is told of its place, and what it may ask for: the second prop of every pane. */
import type { Snippet } from 'svelte'
import type { Interval } from '../../../shared/core/market/market.ts'
import type { LinkColour, PaneKind } from '../../../shared/features/workspace/kinds.ts'
import type { Subject } from './subject.ts'

/** Settings of one pane as they are kept: the pane reads them through its own schema. */
export type PaneSettings = Readonly<Record<string, unknown>>

/** Getters are reactive: read them where a template or a `$derived` is to follow. */
export interface PaneContext extends Subject {
  /** Unique in its workspace, and kept with it. */
  readonly id: string
  readonly kind: PaneKind
  /** The colour whose panes look at the same instrument; null: this pane keeps its own. */
  readonly link: LinkColour | null
  /** The interval that its colour shares; null: each chart has its own. */
  readonly interval: Interval | null
  /** Tells the others of its colour, if they share the interval. */
  setInterval(interval: Interval): void
  /** Where the crosshair of another chart of its colour stands, UTC ms; null: nowhere, or not shared. */
  readonly crosshair: number | null
  /** Tells the others where the crosshair of this one is; null: it left. */
  setCrosshair(ms: number | null): void
  /** Of this pane alone, as kept with the workspace. */
  readonly settings: PaneSettings
  /** Merges into the settings and keeps them; `undefined` takes a key away. */
  setSettings(patch: PaneSettings): void
  /** What the tab says: what the pane shows, such as "BTC-USD 5m". Empty: the name of its kind. */
  title(text: string): void
  /** Tools that stand in the line of its tab while it is the one in front; null: none. */
  tools(snippet: Snippet | null): void
  /** Whether it can be seen: neither behind another tab nor behind a pane that takes the whole dock. */
  readonly visible: boolean
  /** Whether it is the pane that keys and the symbol box speak to. */
  readonly active: boolean
  /** Whether it is the first pane of its kind, visible ones before others. */
  readonly isFirst: boolean
  /** Whether it is the chart that keys apply to. */
  readonly isKeyChart: boolean
  focus(): void
}
