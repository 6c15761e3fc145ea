/** The manifest written next to an export: the file's schema and hash, where its rows came from, and their gaps. */
import { isTeamKey, type Gap } from '../../../shared/core/recording/session.ts'
import type { FeedId } from '../../../shared/base/units.ts'
import type { TickSchema } from '../../../service/tick-columns.ts'
import type { BarSchema } from './bars/bar-rows.ts'
import type { Chosen } from './options.ts'

export interface ManifestInput {
  readonly schema: `tapedeck/ticks/${TickSchema}` | BarSchema
  readonly columns: readonly string[]
  /** The feed that the rows come from or are built from. */
  readonly feed: FeedId
  readonly chosen: Chosen
  /** Sessions that the rows came from. */
  readonly sessions: readonly string[]
  /** Of the times in the file. Default: UTC. */
  readonly zone?: string | undefined
  /** UTC ms. Null: unbounded. */
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly rows: number
  readonly sha256: string
  readonly gaps: readonly Gap[]
  readonly ledgerHead: string | null
  readonly more?: Readonly<Record<string, unknown>>
}

const iso = (ms: number | null): string | null =>
  ms === null || !Number.isFinite(ms) || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString()

/** The same with microseconds, where a range has a fraction of a millisecond. */
function exactIso(ms: number | null): string | null {
  if (ms === null) return null
  const wholeMs = Math.floor(ms)
  // 1,000 of them are the next millisecond.
  const micros = Math.round((ms - wholeMs) * 1_000)
  const text = iso(wholeMs + Math.floor(micros / 1_000))
  return text === null || micros % 1_000 === 0 ? text : text.replace('Z', `${String(micros).padStart(3, '0')}Z`)
}

/** Returns the manifest as JSON with a final line feed. */
export function manifestText(input: ManifestInput): string {
  const overlaps = input.chosen.overlaps.map(({ source, earlier, later, fromMs, toMs }) => ({
    ...(isTeamKey(source) ? { joined: [earlier, later] } : { read: earlier, left_out: later }),
    from: iso(fromMs),
    to: iso(toMs),
  }))
  const manifest = {
    schema: input.schema,
    columns: input.columns,
    feed: input.feed,
    source: input.chosen.source,
    sessions: input.sessions,
    zone: input.zone ?? 'UTC',
    from: exactIso(input.fromMs),
    to: exactIso(input.toMs),
    rows: input.rows,
    sha256: input.sha256,
    gaps: input.gaps.map((gap) => ({
      session: gap.session,
      feed: gap.feed,
      symbols: gap.symbols,
      cause: gap.cause,
      from: iso(gap.fromMs),
      to: iso(gap.toMs),
      from_seq: gap.fromSeq,
      to_seq: gap.toSeq,
    })),
    ledger_head: input.ledgerHead,
    ...(overlaps.length === 0 ? {} : { overlaps }),
    ...input.more,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}
