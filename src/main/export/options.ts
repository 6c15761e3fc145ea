/** What an export is asked for, what it answers, and which source it is of. */
import { CodedError } from '../../shared/errors.ts'
import type { SessionRow } from '../../shared/recording.ts'
import type { FeedId, RecordingId } from '../../shared/units.ts'

export type ExportFormat = 'csv' | 'jsonl'
export const SEPARATORS = [',', ';', '\t', '|'] as const
export type Separator = (typeof SEPARATORS)[number]

interface CommonOptions {
  /** File to write; `OUT.manifest.json` is written beside it. */
  readonly out: string
  readonly session?: RecordingId | undefined
  /** Key of a source (`sourceKey`); needed where several match. */
  readonly source?: string | undefined
  /** Event time, [from, to), UTC ms. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Starts the file with a byte order mark. */
  readonly bom?: boolean | undefined
  readonly separator?: Separator | undefined
  /** Head of the ledger that the manifest states; null where unknown. */
  readonly ledgerHead?: string | null | undefined
  readonly onProgress?: ((progress: { readonly rows: number; readonly bytes: number }) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ExportResult {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
  /** Path of the manifest. */
  readonly manifest: string
}

export type { CommonOptions }

/** Throws `cancelled` once the signal was given. */
export function stopIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new CodedError('cancelled', 'The export was cancelled; nothing was written.')
}

/** The recordings of one source that an export reads, oldest first. */
export interface Chosen {
  readonly source: string
  readonly sessions: readonly SessionRow[]
}

/**
 * Chooses the source: by `session` or `source`, or the only one that holds the feed. Throws
 * `not-found` where none does and `ambiguous-source` where several do.
 */
export function chooseSource(
  all: readonly SessionRow[],
  feed: FeedId,
  { session, source }: { readonly session?: RecordingId | undefined; readonly source?: string | undefined },
): Chosen {
  if (session !== undefined && !all.some((row) => row.session === session)) {
    throw new CodedError('not-found', `There is no session ${session}.`, { hint: '"tapedeck sessions" lists them.' })
  }
  const rows = all
    .filter((row) => session === undefined || row.session === session)
    .filter((row) => source === undefined || row.source === source)
    .filter((row) => row.feeds.some((counts) => counts.feed === feed && counts.stored > 0))
    .sort((a, b) => a.startedMs - b.startedMs)
  const sources = [...new Set(rows.map((row) => row.source))]
  const [first, ...others] = sources
  if (first === undefined) {
    throw new CodedError('not-found', `Nothing of ${feed} is stored there.`, {
      hint: '"tapedeck sessions" lists what is stored.',
    })
  }
  if (others.length > 0) {
    throw new CodedError('ambiguous-source', `${feed} was recorded from several sources: ${sources.join(', ')}.`, {
      hint: 'Choose one with --source, or a session with --session.',
    })
  }
  return { source: first, sessions: rows }
}
