/** What a pane knows of its place in the workspace and can change there: the second prop of every pane. */
import type { Snippet } from 'svelte'
import type { Interval } from '../../../shared/core/market/market.ts'
import type { LinkColour, PaneKind } from '../../../shared/features/workspace/kinds.ts'
import type { Subject } from './subject.ts'

/** The stored settings of one pane, which parses them with its own schema. */
export type PaneSettings = Readonly<Record<string, unknown>>

/** Getters are reactive. */
export interface PaneContext extends Subject {
  /** Unique in its workspace and stored with it. */
  readonly id: string
  readonly kind: PaneKind
  /** The color whose panes share an instrument; null if this pane has its own. */
  readonly link: LinkColour | null
  /** The interval shared by its color; null if each chart has its own. */
  readonly interval: Interval | null
  /** Changes the interval of its color, if shared. */
  setInterval(interval: Interval): void
  /** The crosshair of another chart of its color, UTC ms; null if there is none or it isn't shared. */
  readonly crosshair: number | null
  /** Shares the crosshair of this chart, UTC ms; null when it leaves. */
  setCrosshair(ms: number | null): void
  /** The settings of this pane alone, stored with the workspace. */
  readonly settings: PaneSettings
  /** Merges into the settings and stores them; `undefined` removes a key. */
  setSettings(patch: PaneSettings): void
  /** Sets the title of the tab, such as "BTC-USD 5m"; empty for the name of its kind. */
  title(text: string): void
  /** Sets the tools shown next to its tab while it is in front; null for none. */
  tools(snippet: Snippet | null): void
  /** Whether it is neither behind another tab nor hidden by a maximized pane. */
  readonly visible: boolean
  /** Whether keys and the symbol box apply to it. */
  readonly active: boolean
  /** Whether it is the first pane of its kind, visible ones before others. */
  readonly isFirst: boolean
  /** Whether it is the chart that keys apply to. */
  readonly isKeyChart: boolean
  focus(): void
}
