/** Schemas of market values in the arguments of calls and streams. */
import * as v from 'valibot'
import { BAR_SOURCES, INTERVAL_LABELS, type Interval } from './market.ts'

export const interval = v.custom<Interval>((x) => (INTERVAL_LABELS as readonly unknown[]).includes(x), 'an interval')
/** What bars are built from. */
export const of = v.picklist(BAR_SOURCES)
