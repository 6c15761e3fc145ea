/** Schemas of market values in the arguments of calls and streams. */
import * as v from 'valibot'
import { EVENT_BAR_KINDS } from './event-bars.ts'
import { BAR_SOURCES, isInterval, type Interval } from './market.ts'

export const interval = v.custom<Interval>(isInterval, 'an interval')
/** Bars by trades. Sizes below these would be single trades, or more bars than a chart holds. */
export const eventBarRule = v.pipe(
  v.strictObject({
    kind: v.picklist(EVENT_BAR_KINDS),
    size: v.pipe(v.number(), v.finite(), v.minValue(1e-9), v.maxValue(1e12)),
  }),
  v.check(({ kind, size }) => kind !== 'tick' || Number.isInteger(size), 'a whole number of trades'),
)
/** What bars are built from. */
export const of = v.picklist(BAR_SOURCES)
