/** The metadata of a session file and its entries. Everything is validated before it is used. */
import { setImmediate } from 'node:timers/promises'
import * as v from 'valibot'
import { count, feed, sha256, text } from '../../../shared/base/schemas.ts'
import { SESSION_ID } from '../../../shared/base/units.ts'
import { MAX_SESSION_GAPS } from '../../../shared/core/recording/session-bounds.ts'
import { conn, instant, parseEntryLine, parseJson } from '../../core/store/format/entry-codec.ts'
import type { StoredEntry } from '../../core/store/types/messages.ts'
import { corruptFile, tooLarge } from './parts.ts'

const LINE_END = 10

const meta = v.strictObject({
  format: v.literal('tapedeck session'),
  /** Version of the Tapedeck that wrote it. */
  app: text(64),
  session: v.pipe(v.string(), v.regex(SESSION_ID)),
  /** Identifies the store that the session was recorded into. */
  store: v.pipe(v.string(), v.regex(/^[0-9a-f]{8,64}$/)),
  source: v.strictObject({
    kind: v.picklist(['demo', 'service', 'import']),
    origin: text(4_096),
    user: text(1_024),
  }),
  startedMs: instant,
  endedMs: instant,
  clean: v.boolean(),
  messages: count,
  entries: count,
  lastSeq: count,
  // The count is checked before the items, because this runs in the process that records.
  connections: v.pipe(v.array(v.unknown()), v.maxLength(100_000), v.array(v.strictObject({ conn, feed }))),
  /** Head of each connection's hash chain; connection 0 is the chain of the entries. */
  heads: v.record(v.pipe(v.string(), v.regex(/^\d{1,10}$/)), sha256),
  /** The row of the store's log that closed the session. */
  ledgerHead: v.nullable(sha256),
  /** Unused: the gaps follow from the entries. */
  gaps: v.array(v.unknown()),
  label: v.strictObject({
    name: text(200),
    notes: text(100_000),
    tags: v.pipe(v.array(text(64)), v.maxLength(100)),
    pinned: v.boolean(),
  }),
  bookmarks: v.pipe(
    v.array(v.strictObject({ atMs: instant, seq: v.nullable(count), text: text(200) })),
    v.maxLength(10_000),
  ),
})
export type Meta = v.InferOutput<typeof meta>

/** Parses the metadata part of a file. Throws `store-damaged`. */
export function readMeta(content: Buffer): Meta {
  const read = v.safeParse(meta, parseJson(content.toString('utf8')))
  if (!read.success) throw corruptFile('its metadata')
  if (read.output.gaps.length > MAX_SESSION_GAPS) throw tooLarge('gaps', MAX_SESSION_GAPS)
  return read.output
}

/** Entries decoded before yielding to the event loop. */
const ENTRIES_A_TURN = 1_000

/**
 * Decodes the output of `encodeEntries`, yielding to the event loop in between. Throws `store-damaged` if a line isn't
 * a valid entry or isn't in our format, and `too-large` if there are more gaps than a session may have.
 */
export async function decodeEntries(content: Buffer): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = []
  let gaps = 0
  for (let from = 0; from < content.length;) {
    const end = content.indexOf(LINE_END, from)
    const one = content.toString('utf8', from, end < 0 ? content.length : end)
    from = end < 0 ? content.length : end + 1
    if (end === content.length - 1) throw corruptFile('an entry')
    const entry = parseEntryLine(one)
    if (entry === null) throw corruptFile('an entry')
    entries.push(entry)
    if (entry.entry.type === 'gap-open' && ++gaps > MAX_SESSION_GAPS) throw tooLarge('gaps', MAX_SESSION_GAPS)
    if (entries.length % ENTRIES_A_TURN === 0) await setImmediate()
  }
  return entries
}
