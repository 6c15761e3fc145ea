/** Options and results shared by all exports, and the choice of the source to read. */
import { CodedError } from '../../../shared/base/errors.ts'
import type { ExportedFile, ExportFormat, Separator, SheetStyle } from '../../../shared/features/export/export.ts'
import { inTurn, overlapsOf, type Overlap } from '../../../shared/features/sessions/overlaps.ts'
import type { BarSource, Interval } from '../../../shared/core/market/market.ts'
import { matchesSource, isWholeTeam, type Gap, type SessionRow } from '../../../shared/core/recording/session.ts'
import { feedAsset, instrumentId, type AssetClass, type FeedId, type SessionId } from '../../../shared/base/units.ts'
import type { SafeFile, SafeFileOptions } from '../../base/file-sink.ts'
import { erasedError } from '../../core/store/types/corruption.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'

export interface CommonOptions {
  /** File to write. The manifest goes next to it, as `OUT.manifest.json`. */
  readonly out: string
  /** Writes here instead, without a manifest. */
  readonly stream?: SafeFile | undefined
  readonly file?: SafeFileOptions | undefined
  /** Called with the number of gaps in what was exported, without ordinary edges of sessions. */
  readonly onGaps?: ((count: number) => void) | undefined
  /** Only these sessions. Absent: all sessions of the source. */
  readonly sessions?: readonly SessionId[] | undefined
  /** Source key (`sourceKey`). Required if several sources match. */
  readonly source?: string | undefined
  /** Event time, [from, to), UTC ms. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Starts a CSV file with a byte order mark. */
  readonly bom?: boolean | undefined
  readonly separator?: Separator | undefined
  /** CSV of schema 2: for a spreadsheet. */
  readonly sheet?: SheetStyle | undefined
  /** Begins another file, `OUT.2.csv`, after this many rows. */
  readonly maxRows?: number | undefined
  readonly onProgress?: ((progress: { readonly rows: number; readonly bytes: number }) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface BarExportOptions extends CommonOptions {
  readonly asset: AssetClass
  /** Default: CSV. */
  readonly format?: ExportFormat | undefined
  /** Any alias of an instrument matches. Absent: every symbol. */
  readonly symbols?: readonly string[] | undefined
  readonly of: BarSource
  readonly interval: Interval
  /** Aggregate only this feed's service bars. Absent: use the feed that matches the interval. */
  readonly feed?: FeedId | undefined
  /** Default: 1. */
  readonly schema?: 1 | 2 | undefined
  /** Schema 1: adds `EXTENDED_COLUMNS`. */
  readonly extended?: boolean | undefined
}

/** A complete, durable file and its manifest, still under temporary names. */
export interface Prepared extends ExportedFile {
  /** Moves both files to their final names. */
  commit(): Promise<void>
  /** Removes the temporary files. Does nothing after `commit`. */
  discard(): Promise<void>
}

/** Throws `cancelled` if the signal was aborted. */
export function stopIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new CodedError('cancelled', 'The export was canceled; nothing was written.')
}

/** The sessions of one source that an export reads, in reading order. */
export interface Chosen {
  readonly source: string
  readonly sessions: readonly SessionRow[]
  /** Time ranges covered by two sessions. */
  readonly overlaps: readonly Overlap[]
}

const sessionsText = (sessions: readonly SessionId[] | undefined): string =>
  sessions === undefined ? '' : sessions.length === 1 ? ` in session ${sessions[0]}` : ' in these sessions'

/**
 * Chooses the source by `sessions` or `source`, or takes the only one that has the feed. Throws `not-found` if no
 * source has it and `ambiguous-source` if several do.
 */
export function chooseSource(
  all: readonly SessionRow[],
  feed: FeedId,
  { sessions, source }: { readonly sessions?: readonly SessionId[] | undefined; readonly source?: string | undefined },
): Chosen {
  const missing = sessions?.find((session) => !all.some((row) => row.session === session))
  if (missing !== undefined) {
    throw new CodedError('not-found', `There is no session ${missing}.`, { hint: '"tapedeck sessions" lists them.' })
  }
  const found = all
    .filter((row) => sessions === undefined || sessions.includes(row.session))
    .filter((row) => source === undefined || matchesSource(row.source, source))
    .filter((row) => row.feeds.some((counts) => counts.feed === feed && counts.stored > 0))
  // As the store reads them: what is in the bin only if it is named.
  const filtered = sessions === undefined ? found.filter(({ binnedMs }) => binnedMs === null) : found
  const rows = inTurn(filtered).map(({ of }) => of)
  const sources = [...new Set(rows.map((row) => row.source))]
  const [first, ...others] = sources
  if (first === undefined) {
    if (found.length > 0) {
      throw new CodedError('not-found', `What is stored of ${feed} is in the bin.`, {
        hint: 'Restore a session from the bin, or name it with --session.',
      })
    }
    const where = `${source === undefined ? '' : ` for source ${source}`}${sessionsText(sessions)}`
    throw new CodedError('not-found', `No data from ${feed} is stored${where}.`, {
      hint: '"tapedeck sessions" lists what is stored.',
    })
  }
  const isTeam = source !== undefined && isWholeTeam(source)
  if (others.length > 0 && !isTeam) {
    throw new CodedError('ambiguous-source', `${feed} was recorded from several sources: ${sources.join(', ')}.`, {
      hint: 'Choose one with --source, or a session with --session.',
    })
  }
  return { source: isTeam ? source : first, sessions: rows, overlaps: overlapsOf(rows) }
}

/**
 * Returns the gaps of the chosen sessions that overlap [fromMs, toMs), or all of them without a range. `symbols`: only
 * gaps that affect these, by any alias. Absent: every symbol. Throws `not-found` if one of the sessions was erased since
 * they were chosen: its gaps are unknown then, and rows of it may be missing.
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
    sessions: [...chosen],
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
  })
  const stored = new Set((await reader.sessions(true)).map(({ session }) => session))
  const erased = sessions.find(({ session }) => !stored.has(session))
  if (erased !== undefined) throw erasedError(erased.session)
  return gaps.filter(
    (gap) =>
      chosen.has(gap.session) &&
      (wanted === null || gap.symbols.length === 0 || gap.symbols.some((symbol) => wanted.has(key(symbol)))),
  )
}
