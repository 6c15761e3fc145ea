/** What an export is asked for, what it answers, and which source it is of. */
import { CodedError } from '../../../shared/base/errors.ts'
import type { ExportedFile, Separator } from '../../../shared/features/export/export.ts'
import { inTurn, overlapsOf, type Overlap } from '../../../shared/features/sessions/overlaps.ts'
import type { Gap, SessionRow } from '../../../shared/core/recording/recording.ts'
import { feedAsset, instrumentId, type FeedId, type RecordingId } from '../../../shared/base/units.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'

export interface CommonOptions {
  /** File to write; `OUT.manifest.json` is written beside it. */
  readonly out: string
  /** Only these; absent: every one of the source. */
  readonly sessions?: readonly RecordingId[] | undefined
  /** Key of a source (`sourceKey`); needed where several match. */
  readonly source?: string | undefined
  /** Event time, [from, to), UTC ms. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Starts a CSV file with a byte order mark. */
  readonly bom?: boolean | undefined
  readonly separator?: Separator | undefined
  readonly onProgress?: ((progress: { readonly rows: number; readonly bytes: number }) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A file and its manifest, whole and durable, that do not have their names yet. */
export interface Prepared extends ExportedFile {
  /** Gives both their names. */
  commit(): Promise<void>
  /** Removes what has no name yet; harmless after `commit`. */
  discard(): Promise<void>
}

/** Throws `cancelled` once the signal was given. */
export function stopIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new CodedError('cancelled', 'The export was canceled; nothing was written.')
}

/** The recordings of one source that an export reads, in the order of reading. */
export interface Chosen {
  readonly source: string
  readonly sessions: readonly SessionRow[]
  /** Where two of them hold the same time and only the earlier one is read. */
  readonly overlaps: readonly Overlap[]
}

/**
 * Chooses the source: by `sessions` or `source`, or the only one that holds the feed. Throws
 * `not-found` where none does and `ambiguous-source` where several do.
 */
export function chooseSource(
  all: readonly SessionRow[],
  feed: FeedId,
  {
    sessions,
    source,
  }: { readonly sessions?: readonly RecordingId[] | undefined; readonly source?: string | undefined },
): Chosen {
  const missing = sessions?.find((session) => !all.some((row) => row.session === session))
  if (missing !== undefined) {
    throw new CodedError('not-found', `There is no session ${missing}.`, { hint: '"tapedeck sessions" lists them.' })
  }
  const filtered = all
    .filter((row) => sessions === undefined || sessions.includes(row.session))
    .filter((row) => source === undefined || row.source === source)
    .filter((row) => row.feeds.some((counts) => counts.feed === feed && counts.stored > 0))
  const rows = inTurn(filtered).map(({ of }) => of)
  const sources = [...new Set(rows.map((row) => row.source))]
  const [first, ...others] = sources
  if (first === undefined) {
    throw new CodedError('not-found', `No data from ${feed} is stored there.`, {
      hint: '"tapedeck sessions" lists what is stored.',
    })
  }
  if (others.length > 0) {
    throw new CodedError('ambiguous-source', `${feed} was recorded from several sources: ${sources.join(', ')}.`, {
      hint: 'Choose one with --source, or a session with --session.',
    })
  }
  return { source: first, sessions: rows, overlaps: overlapsOf(rows) }
}

/**
 * Gaps of the chosen recordings that touch [fromMs, toMs); without a range, every one. `symbols`: those
 * exported, by any alias; empty: every symbol.
 */
export async function gapsOf(
  reader: StoreReader,
  feed: FeedId,
  { source, sessions }: Chosen,
  {
    fromMs,
    toMs,
    symbols,
  }: {
    readonly fromMs?: number | undefined
    readonly toMs?: number | undefined
    readonly symbols?: readonly string[] | undefined
  },
): Promise<readonly Gap[]> {
  const key = (symbol: string): string => instrumentId(feedAsset(feed), symbol)
  const wanted = symbols === undefined ? null : new Set(symbols.map(key))
  const chosen = new Set(sessions.map((row) => row.session))
  const gaps = await reader.gaps({
    feed,
    source,
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
  })
  return gaps.filter(
    (gap) =>
      chosen.has(gap.recording) &&
      (wanted === null || gap.symbols.length === 0 || gap.symbols.some((symbol) => wanted.has(key(symbol)))),
  )
}
