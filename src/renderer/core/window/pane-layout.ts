/** The panes of a window, as the rest of the window knows them. */
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { Interval } from '../../../shared/core/market/market.ts'
import type { WorkspacePane } from '../../../shared/features/workspace/document.ts'
import { NEW_LINK } from '../../../shared/features/workspace/links.ts'
import type { PaneKind } from '../../../shared/features/workspace/kinds.ts'

/** Getters are reactive. */
export interface PaneLayout {
  /** Whether the user's panes have arrived. Until then, those of a first start are shown. */
  readonly ready: boolean
  /** The instrument of the pane in front. */
  readonly instrument: InstrumentId
  /** The instruments of all visible panes, that of the pane in front first. */
  readonly instruments: readonly InstrumentId[]
  /** The chart that keys apply to: the pane in front, or else the first visible chart. */
  readonly chart: WorkspacePane | undefined
  /** Shows an instrument in the pane in front and in those linked with it. */
  select(instrument: InstrumentId): void
  /** Sets the interval of the chart that keys apply to, or shows its ticks. */
  setInterval(interval: Interval | 'ticks'): void
  /** Shows a pane of a kind, adding one if there is none, and moves the focus there. */
  open(kind: PaneKind): void
  /** Closes the visible pane of a kind, or shows one. */
  toggle(kind: PaneKind): void
  isShown(kind: PaneKind): boolean
  /** Safe mode began or ended: the workspaces are others. */
  reload(): void
}

const nothing = (): undefined => undefined
/** The layout of a window without panes. */
export const NO_PANES: PaneLayout = {
  ready: true,
  instrument: NEW_LINK.instrument,
  instruments: [],
  chart: undefined,
  select: nothing,
  setInterval: nothing,
  open: nothing,
  toggle: nothing,
  isShown: () => false,
  reload: nothing,
}
