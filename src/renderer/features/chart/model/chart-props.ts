/** The props of a chart pane. */
import type { Snippet } from 'svelte'
import type { ChartSettings } from '../../../../shared/features/chart/chart-settings.ts'
import type { PriceRows } from '../../../../shared/core/market/flow/cells.ts'
import type { Bar, BarSource, Interval } from '../../../../shared/core/market/market.ts'
import type { Transport } from '../../../../shared/transport.ts'
import type { InstrumentId } from '../../../../shared/base/units.ts'
import type { ChartMarker } from '../../../charts/model/markers.ts'
import type { ChartPort } from '../../../charts/model/chart.ts'
import type { AlertsService } from '../../alerts/feature.ts'
import type { DrawingsService } from '../../drawings/feature.ts'
import type { SymbolPayload } from '../../../core/symbols/symbol-drag.ts'
import type { ChartWindow } from './chart-window.ts'

/** The trades of a figure on the chart. */
export interface ShownTrades {
  /** [fromMs, toMs), UTC ms; `toMs` null: up to now. */
  readonly span: { readonly fromMs: number; readonly toMs: number | null }
  /** Only those in one price row. */
  readonly cell?: PriceRows & { readonly row: number }
  /** Only those without a side, or without a current quote. */
  readonly only?: 'unsided' | 'unquoted'
}

export interface ChartPaneProps {
  transport: Transport
  view?: string
  /** Increases when the live market changes to another source; nothing of the previous one may stay on screen. */
  markets?: number
  /** The clock of a replay, UTC ms; null for the live market. */
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
  /** Exports the bars in view; null exports this instrument's stored data. */
  onExport?: (visible: ReturnType<ChartPort['visibleBars']> | null) => void
  /** The events to mark; null if the instrument has none. */
  markers?: readonly ChartMarker[] | null
  /** The notes to mark. */
  notes?: readonly ChartMarker[]
  /** Called when this becomes the chart used last, with how to take its picture. Returns a function that ends the offer. */
  onPictured?: (take: () => Promise<Blob | null>) => () => void
  /** Opens the story, report or note of a marker. */
  onEvent?: (marker: ChartMarker) => void
  /** Where the chart should go; each new object is a new request. */
  goTo?: { readonly ms: number } | null
  /** Opens the messages of a bar, or of one price row of it. */
  onBar?: (bar: Bar, of: BarSource, interval: Interval, cell?: PriceRows & { readonly row: number }) => void
  /** Opens the review of [fromMs, toMs), UTC ms. */
  onReview?: (span: { readonly fromMs: number; readonly toMs: number }) => void
  /** Opens the messages of trades. */
  onTrades?: (trades: ShownTrades) => void
  /** The window's drawings; null if drawing isn't available. */
  drawings: DrawingsService | null
  /** The window's alerts; price alerts are drawn as lines. */
  alerts?: AlertsService | null
  /** Starts a replay at an instant, UTC ms; there need not be a bar. */
  onReplayFrom?: (ms: number) => void
  /** What else the chart uses of its window; null if it shows only bars. */
  window?: ChartWindow | null
  /** The crosshair of a linked chart, UTC ms; null if there is none. */
  crosshair?: number | null
  /** Reports this chart's crosshair, UTC ms; null if there is none. */
  onCrosshair?: (ms: number | null) => void
  /** Moves the tools into the tab line, for a chart too low for its own toolbar; null moves them back. */
  onTools?: (tools: Snippet | null) => void
  /** Called when a symbol is dropped on the chart. */
  onSymbol?: (symbol: SymbolPayload) => void
}
