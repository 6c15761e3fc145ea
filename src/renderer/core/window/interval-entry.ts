/** Digits typed anywhere change the chart's interval: "5" is 5m, "7s" is 7s, "250ms" is 250ms, "1d" is 1D. */
import { parseInterval } from '../../../shared/core/market/market.ts'

/** Whether the text isn't finished although it reads as an interval, or would with one more letter: 250m for 250ms. */
export const isBegun = (typed: string): boolean => /m$/i.test(typed) && parseInterval(`${typed}s`) !== undefined
