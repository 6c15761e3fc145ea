/** What a row of the table of indicators says. */
import type { Indicator } from './indicator.ts'
import type { DayOf, PriceOf } from './indicators.ts'

export interface Parameter {
  readonly key: string
  readonly title: string
  readonly value: number
  readonly least: number
  readonly most: number
  /**
   * The key of the parameter whose value this one takes by default. Charts and alerts saved before this parameter
   * existed keep one length for both.
   */
  readonly follows?: string
  /** The titles of its values from 0, where it is a choice. */
  readonly choices?: readonly string[]
  /** Set by a command on the chart instead of a field: an instant, UTC ms. */
  readonly isInstant?: true
  /** Whether it takes only integers. Absent: if its least value is one. */
  readonly isWhole?: boolean
}
export const takesWhole = ({ isWhole, least }: Parameter): boolean => isWhole ?? Number.isInteger(least)

/** Prices that an indicator can use. */
export const PRICE_NAMES = ['close', 'open', 'high', 'low', 'hl2', 'hlc3', 'ohlc4'] as const
export type PriceName = (typeof PRICE_NAMES)[number]
export const PRICES: Readonly<Record<PriceName, PriceOf>> = {
  close: (bar) => bar.close,
  open: (bar) => bar.open,
  high: (bar) => bar.high,
  low: (bar) => bar.low,
  hl2: (bar) => (bar.high + bar.low) / 2,
  hlc3: (bar) => (bar.high + bar.low + bar.close) / 3,
  ohlc4: (bar) => (bar.open + bar.high + bar.low + bar.close) / 4,
}

/** A row without its id. */
export interface IndicatorSpec {
  readonly title: string
  /** As shown in a legend. */
  readonly short: string
  /** Drawn over the prices or in its own pane. */
  readonly place: 'price' | 'own'
  readonly parameters: readonly Parameter[]
  /** One line each, in the order of the values. */
  readonly outputs: readonly string[]
  /** Whether the user can choose its price. */
  readonly takesPrice: boolean
  /** Its default price. */
  readonly usualPrice: PriceName
  /** The unit of its values: prices (with the instrument's decimals), an index, or a volume. */
  readonly unit: 'price' | 'index' | 'volume'
  /** Computed from trades and their sides: only charts have them. */
  readonly needsSides?: true
  /** Computed from those trades, whatever their sides. */
  readonly isSideless?: true
  /** How it is drawn besides lines. */
  readonly drawn?: {
    /** Horizontal lines in its own pane, and the values that the pane always includes. */
    readonly levels?: readonly number[]
    readonly between?: readonly [number, number]
    /** Two outputs with a fill between them. */
    readonly ground?: readonly [number, number]
    /** An output drawn as columns from zero. */
    readonly columns?: number
    /** Two outputs without lines: the bounds of the first output, as a whisker on columns or a band around a line. */
    readonly bounds?: readonly [number, number]
    /** Outputs drawn faintly in the color of the first one. */
    readonly bands?: readonly number[]
    /** How many bars later each output is drawn (negative: earlier), by the parameters. */
    readonly shifts?: (values: readonly number[]) => readonly number[]
    /** Dots, or levels without the jumps between them. Default: lines. */
    readonly marks?: 'dots' | 'steps'
    /**
     * The first output is a price at as many bars ago as the second says, and the third and fourth are the leg that
     * still forms: one line connects them.
     */
    readonly swings?: true
  }
  /**
   * Takes one value per parameter, in order. `dayOf` returns where days begin, for indicators that restart each day;
   * `openOf` where the main session began, NaN outside of it.
   */
  create(values: readonly number[], price: PriceOf, dayOf?: DayOf, openOf?: DayOf): Indicator
}

/**
 * A row as the tables write it. By default it has no parameters, one output of its short name, and the close as its
 * price, and the user can't choose another.
 */
export type WrittenSpec = Omit<IndicatorSpec, WrittenDefault> & Partial<Pick<IndicatorSpec, WrittenDefault>>
type WrittenDefault = 'parameters' | 'outputs' | 'takesPrice' | 'usualPrice'

/** Drawn over the prices, or in its own pane; of bars, or of a price that the user can choose. */
export const OVER_PRICES = { place: 'price', unit: 'price' } as const
export const PRICE_LINE = { ...OVER_PRICES, takesPrice: true } as const
export const OWN_PANE = { place: 'own', unit: 'index' } as const
export const OWN_OF_PRICE = { ...OWN_PANE, takesPrice: true } as const

/** The outputs that are values to draw, read and compare; others only say where. */
export function shownOutputs({ outputs, drawn }: Pick<IndicatorSpec, 'outputs' | 'drawn'>): readonly number[] {
  return drawn?.swings ? [0, 2] : [...outputs.keys()]
}

export const length = (value: number, key = 'period', title = 'Length'): Parameter => ({
  key,
  title,
  value,
  least: 1,
  most: 5_000,
})

/** The parts of a row whose only parameter is a length. */
export const ofLength = (value: number, create: (length: number, price: PriceOf) => Indicator) =>
  ({ parameters: [length(value)], create: ([n], price) => create(n, price) }) satisfies Partial<WrittenSpec>

export const utcDay: DayOf = (ms) => Math.floor(ms / 86_400_000) * 86_400_000
