/** Entries as text for other machines: session files and team frames. Nothing is believed before it is checked. */
import * as v from 'valibot'
import { count, feed, finite } from '../../../../shared/base/schemas.ts'
import { parseBoundedJson } from '../../../../shared/base/json-depth.ts'
import { GAP_CAUSES, type LedgerEntry } from '../../../../shared/core/recording/session.ts'
import type { StoredEntry } from '../types/messages.ts'
import type { EntryRow } from './ledger.ts'

/** UTC ms that a calendar has. */
export const LATEST_MS = 8.64e15
const MAX_SYMBOLS = 100_000

export const instant = v.pipe(finite, v.minValue(-LATEST_MS), v.maxValue(LATEST_MS))
export const conn = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(0xffff_ffff))

const symbols = v.pipe(v.array(v.pipe(v.string(), v.maxLength(256))), v.maxLength(MAX_SYMBOLS))
const of = { feed, conn }
const entrySchema = v.variant('type', [
  v.looseObject({ type: v.picklist(['connecting', 'connected']), ...of }),
  v.looseObject({ type: v.literal('disconnected'), ...of, closeCode: finite, reason: v.string() }),
  v.looseObject({ type: v.picklist(['subscribe', 'unsubscribe', 'acknowledged', 'released']), ...of, symbols }),
  // Between two connections a feed has none: 0.
  v.looseObject({
    type: v.literal('state'),
    feed,
    conn: v.union([conn, v.literal(0)]),
    state: v.string(),
    untilMs: v.optional(finite),
    attempt: v.optional(count),
  }),
  v.looseObject({
    type: v.literal('gap-open'),
    feed,
    cause: v.picklist(GAP_CAUSES),
    symbols,
    fromMs: instant,
    skewMs: v.optional(finite),
  }),
  v.looseObject({ type: v.literal('gap-close'), feed, openedSeq: count }),
  v.looseObject({ type: v.literal('oversize'), ...of, limitBytes: finite }),
  v.looseObject({ type: v.literal('clock'), shiftMs: finite }),
  v.looseObject({ type: v.literal('digest'), minuteMs: instant, sha256: v.string(), fold: v.optional(finite) }),
])

/** Seq, wall ms, monotonic ns, and the entry's JSON text. */
const lineSchema = v.tuple([v.pipe(count, v.minValue(1)), finite, finite, v.string()])

/** Encodes entries, one line each, with their text as it is in the ledger. */
export const encodeEntries = (rows: readonly EntryRow[]): Buffer =>
  Buffer.from(rows.map(({ seq, wallMs, monoNs, body }) => JSON.stringify([seq, wallMs, monoNs, body])).join('\n'))

/** Parses a line of `encodeEntries`; null if it isn't an entry, or not written the way the ledger writes it. */
export function parseEntryLine(line: string): StoredEntry | null {
  const read = v.safeParse(lineSchema, parseJson(line))
  if (!read.success) return null
  const [seq, wallMs, monoNs, body] = read.output
  const value = parseJson(body)
  // The ledger's hash covers the text, so it must be what `entryRow` writes.
  if (!v.is(entrySchema, value) || JSON.stringify(value) !== body) return null
  return { seq, wallMs, monoNs, entry: value as LedgerEntry } // as the schema says
}

/** Undefined if the text isn't JSON or nests too deep. */
export function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text)
  } catch {
    return undefined
  }
}
