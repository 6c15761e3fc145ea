/** What a session file says of its session, and its entries: checked before anything is believed. */
import { setImmediate } from 'node:timers/promises'
import * as v from 'valibot'
import { parseBoundedJson } from '../../../shared/base/json-depth.ts'
import { GAP_CAUSES, type LedgerEntry } from '../../../shared/core/recording/recording.ts'
import { FEED_IDS } from '../../../shared/base/units.ts'
import { MOST_SESSION_GAPS } from '../../../shared/core/recording/session-bounds.ts'
import { damaged, tooLarge } from './parts.ts'

const LINE_END = 10
const text = (most: number) => v.pipe(v.string(), v.maxLength(most))
const number = v.pipe(v.number(), v.finite())
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const hex = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const instant = v.pipe(number, v.minValue(-8.64e15), v.maxValue(8.64e15))
const conn = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(0xffff_ffff))
const feed = v.picklist(FEED_IDS)

const meta = v.strictObject({
  format: v.literal('tapedeck session'),
  /** Version of the Tapedeck that wrote it. */
  app: text(64),
  session: v.pipe(v.string(), v.regex(/^[0-9a-z]{10,64}$/)),
  /** What identifies the store that it was recorded into. */
  store: v.pipe(v.string(), v.regex(/^[0-9a-f]{8,64}$/)),
  source: v.strictObject({
    kind: v.picklist(['demo', 'service', 'import']),
    origin: text(4_096),
    user: text(1_024),
  }),
  startedMs: instant,
  endedMs: instant,
  clean: v.boolean(),
  messages: whole,
  entries: whole,
  lastSeq: whole,
  // Counted before each is looked at: this is read in the process that records.
  connections: v.pipe(v.array(v.unknown()), v.maxLength(100_000), v.array(v.strictObject({ conn, feed }))),
  /** Head of the chain of each connection, 0 of the entries. */
  heads: v.record(v.pipe(v.string(), v.regex(/^\d{1,10}$/)), hex),
  /** Row of the store's log that closed it. */
  ledgerHead: v.nullable(hex),
  /** Looked at nowhere: the entries say what they are. */
  gaps: v.array(v.unknown()),
  label: v.strictObject({
    name: text(200),
    notes: text(100_000),
    tags: v.pipe(v.array(text(64)), v.maxLength(100)),
    pinned: v.boolean(),
  }),
  bookmarks: v.pipe(
    v.array(v.strictObject({ atMs: instant, seq: v.nullable(whole), text: text(200) })),
    v.maxLength(10_000),
  ),
})
export type Meta = v.InferOutput<typeof meta>

const symbols = v.pipe(v.array(text(256)), v.maxLength(100_000))
const of = { feed, conn }
const entry = v.variant('type', [
  v.looseObject({ type: v.picklist(['connecting', 'connected']), ...of }),
  v.looseObject({ type: v.literal('disconnected'), ...of, closeCode: number, reason: v.string() }),
  v.looseObject({ type: v.picklist(['subscribe', 'unsubscribe', 'acknowledged', 'released']), ...of, symbols }),
  // A session between two connections has none: 0.
  v.looseObject({
    type: v.literal('state'),
    feed,
    conn: v.union([conn, v.literal(0)]),
    state: v.string(),
    untilMs: v.optional(v.pipe(v.number(), v.finite())),
    attempt: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  }),
  v.looseObject({
    type: v.literal('gap-open'),
    feed,
    cause: v.picklist(GAP_CAUSES),
    symbols,
    fromMs: instant,
    skewMs: v.optional(number),
  }),
  v.looseObject({ type: v.literal('gap-close'), feed, openedSeq: whole }),
  v.looseObject({ type: v.literal('oversize'), ...of, limitBytes: number }),
  v.looseObject({ type: v.literal('clock'), shiftMs: number }),
  v.looseObject({ type: v.literal('digest'), minuteMs: instant, sha256: v.string(), fold: v.optional(number) }),
])

/** Reads what a file says of its session; throws `store-damaged`. */
export function readMeta(content: Buffer): Meta {
  const read = v.safeParse(meta, parsed(content.toString('utf8')))
  if (!read.success) throw damaged('what it says of the session')
  if (read.output.gaps.length > MOST_SESSION_GAPS) throw tooLarge('gaps', MOST_SESSION_GAPS)
  return read.output
}

/** Seq, wall ms, monotonic ns, and the text of the entry. */
const line = v.tuple([v.pipe(whole, v.minValue(1)), number, number, v.string()])
export type EntryLine = v.InferOutput<typeof line>

/** Entries as a part: a line each, their text as it is in the ledger. */
export const encodeEntries = (lines: readonly EntryLine[]): Buffer =>
  Buffer.from(lines.map((one) => JSON.stringify(one)).join('\n'))

/** So many entries are read at a time before others have their turn. */
const ENTRIES_A_TURN = 1_000

/**
 * Undoes encodeEntries, in turns; throws `store-damaged` also where a text is no entry, or not as we write them, and
 * `too-large` at more gaps than a session may have.
 */
export async function decodeEntries(
  content: Buffer,
): Promise<{ seq: number; wallMs: number; monoNs: number; entry: LedgerEntry }[]> {
  const entries: { seq: number; wallMs: number; monoNs: number; entry: LedgerEntry }[] = []
  let gaps = 0
  for (let from = 0; from < content.length;) {
    const end = content.indexOf(LINE_END, from)
    const one = content.toString('utf8', from, end < 0 ? content.length : end)
    from = end < 0 ? content.length : end + 1
    if (end === content.length - 1) throw damaged('an entry')
    const read = v.safeParse(line, parsed(one))
    if (!read.success) throw damaged('an entry')
    const [seq, wallMs, monoNs, body] = read.output
    const value = parsed(body)
    // The ledger holds the text: what would be written otherwise again would change it.
    if (!v.is(entry, value) || written(value) !== body) throw damaged('an entry')
    entries.push({ seq, wallMs, monoNs, entry: value as LedgerEntry }) // as the schema says
    if (value.type === 'gap-open' && ++gaps > MOST_SESSION_GAPS) throw tooLarge('gaps', MOST_SESSION_GAPS)
    if (entries.length % ENTRIES_A_TURN === 0) await setImmediate()
  }
  return entries
}

/** What is nested deeper than anybody can write has no text. */
function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function parsed(json: string): unknown {
  try {
    return parseBoundedJson(json)
  } catch {
    return undefined
  }
}
