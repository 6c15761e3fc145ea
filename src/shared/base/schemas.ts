/** Schemas of values that calls, settings, files and stored documents have in common. */
import * as v from 'valibot'
import { FEED_IDS, parseInstrument, type InstrumentId } from './units.ts'

export const text = (max: number) => v.pipe(v.string(), v.maxLength(max))
export const finite = v.pipe(v.number(), v.finite())
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** A SHA-256 in lower-case hex. */
export const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
export const feed = v.picklist(FEED_IDS)
// parseInstrument accepts exactly the texts that are instruments.
/** An instrument of a stored document. */
export const storedInstrument = v.custom<InstrumentId>(
  (x) => typeof x === 'string' && parseInstrument(x) !== undefined,
  'an instrument such as "crypto:BTCUSD"',
)
/** An instrument of a call. */
export const instrument = v.pipe(storedInstrument, v.maxLength(80, 'an instrument such as "crypto:BTCUSD"'))
