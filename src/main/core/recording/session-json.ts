/** Sessions and gaps in JSON: one shape for the command line and the API. */
import { withSchema } from '../../base/json-schema.ts'
import { countGaps, type Gap, type SessionRow } from '../../../shared/core/recording/session.ts'
import { isoOrNull } from '../../../shared/base/iso-time.ts'

/** A session as JSON (documented in the guide). */
export function sessionJson(row: SessionRow): Record<string, unknown> {
  return withSchema('session', {
    session: row.session,
    source: row.source,
    started: isoOrNull(row.startedMs),
    ended: isoOrNull(row.endedMs),
    clean: row.clean,
    corrupt: row.isCorrupt,
    feeds: row.feeds,
    messages: row.messages,
    bytes: row.bytes,
    // Without the ordinary ones at the start and end, which the list has.
    gap_count: countGaps(row.gaps),
    gaps: row.gaps.map(gapJson),
    symbols: row.symbols,
    live: row.live,
    imported: row.imported,
    name: row.name,
    notes: row.notes,
    tags: row.tags,
    pinned: row.pinned,
    binned: isoOrNull(row.binnedMs),
  })
}

/** A gap as JSON: ISO 8601 times; `to` and `seconds` are null while it is open. */
export function gapJson({ session, feed, cause, symbols, fromMs, toMs }: Gap): Record<string, unknown> {
  const seconds = toMs === null ? null : (toMs - fromMs) / 1000
  return withSchema('gap', { session, feed, cause, symbols, from: isoOrNull(fromMs), to: isoOrNull(toMs), seconds })
}
