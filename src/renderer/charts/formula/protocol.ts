/** What the window and the worker of formulas send each other. */
import type { AssetClass } from '../../../shared/base/units.ts'
import type { EarlierTrades } from '../../../shared/core/market/indicators/indicator.ts'

/** Numbers of a row: start (UTC ms), open, high, low, close, volume, bought, sold. NaN: no bar, volume or sides. */
export const ROW_NUMBERS = 8

export interface FormulaStart {
  readonly text: string
  readonly values: readonly number[]
  readonly asset: AssetClass
  /** What was read of before the first row, for sums that begin earlier. */
  readonly earlier: readonly EarlierTrades[]
}

export interface FormulaRequest {
  readonly run: number
  /** Starts again with a formula and the values of its settings; null: continues. */
  readonly start: FormulaStart | null
  /** Rows in order. All but the last one are closed; the last one can come again. */
  readonly rows: Float64Array<ArrayBuffer>
}

export type FormulaResponse =
  /** The values of the requested rows, as many per row as the formula has outputs. */
  | { readonly run: number; readonly outputs: number; readonly values: Float64Array<ArrayBuffer> }
  | { readonly run: number; readonly problem: string }
