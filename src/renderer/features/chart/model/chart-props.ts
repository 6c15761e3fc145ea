/** What a chart's pane is given. */
import type { Snippet } from 'svelte'
import type { ChartSettings } from '../../../../shared/features/chart/chart-settings.ts'
import type { Bar, BarSource, Interval } from '../../../../shared/core/market/market.ts'
import type { Transport } from '../../../../shared/rpc/transport.ts'
import type { InstrumentId } from '../../../../shared/base/units.ts'
import type { ChartMarker } from '../../../charts/model/markers.ts'
import type { ChartPort } from '../../../charts/model/chart.ts'
import type { AlertsService } from '../../alerts/feature.ts'
import type { DrawingsService } from '../../drawings/feature.ts'
import type { SymbolPayload } from '../../../core/window/symbol-drag.ts'
import type { ChartWindow } from './chart-window.ts'

export interface ChartPaneProps {
  transport: Transport
  view?: string
  /** Grows when the live market is that of another source: nothing of the one before may stay. */
  markets?: number
  /** The clock of a replay, UTC ms; null: live. */
  asOf?: number | null
  instrument: InstrumentId
  /** As shown in the title: the service's symbol once known. */
  symbol: string
  name?: string | null
  settings: ChartSettings
  /** IANA zone, `local` or `UTC`. */
  zone: string
  /** Changes whenever the design tokens do (theme, direction palette). */
  themeKey: string
  onSettings: (patch: Partial<ChartSettings>) => void
  /** The bars in view as a file; null: what is recorded of this instrument. */
  onExport?: (visible: ReturnType<ChartPort['visibleBars']> | null, of: BarSource) => void
  /** Events to mark; null: this instrument has none. */
  markers?: readonly ChartMarker[] | null
  /** A mark whose story or report the user wants to read. */
  onEvent?: (marker: ChartMarker) => void
  /** Where the chart was asked to go; each new object is a new request. */
  goTo?: { readonly ms: number } | null
  /** The bar whose messages the user wants to see. */
  onBar?: (bar: Bar, of: BarSource, interval: Interval) => void
  /** The window's drawings; null: nothing can be drawn. */
  drawings: DrawingsService | null
  /** The window's alerts: those on a price are lines. Absent: none. */
  alerts?: AlertsService | null
  /** An instant that the user wants to go back to, UTC ms: of a bar, or of where there is none. */
  onReplayFrom?: (ms: number) => void
  /** What else the chart asks of its window; null: nothing more than bars. */
  window?: ChartWindow | null
  /** Where the crosshair of a linked chart stands, UTC ms; null: nowhere. */
  crosshair?: number | null
  /** Where the crosshair of this one went. */
  onCrosshair?: (ms: number | null) => void
  /** Takes the tools into the line of the tab, where the chart is too low for a line of its own; null: it is not. */
  onTools?: (tools: Snippet | null) => void
  /** A symbol was dropped on the chart. */
  onSymbol?: (symbol: SymbolPayload) => void
}
