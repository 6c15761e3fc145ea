/** What a view may read of the store: its source, up to the view's current time. */
import { toFailure } from '../../../shared/base/errors.ts'
import { feedAsset, instrumentId, type InstrumentId, type SessionId } from '../../../shared/base/units.ts'
import { matchesSource, type Gap, type SessionRow } from '../../../shared/core/recording/session.ts'
import type { DayGrid } from '../market/cell.ts'
import type { BarPage, BarQuery, SeqLimits } from '../store/types/bars.ts'
import type { StoreReader } from '../store/types/reader.ts'

export interface StoredViewOptions {
  readonly reader: StoreReader
  /** `sourceKey` of the source shown now. */
  readonly source: () => string
  /** The sessions that the hub continues, each with the last seq that the hub has; empty while nothing is recorded. */
  readonly present: () => SeqLimits
  /** Resolves with true when everything up to these seqs can be read, or with false after a short time limit. */
  readonly committed: (present: SeqLimits) => Promise<boolean>
  /**
   * The sessions that the hub received from their first message on: all since it was cleared. Null or absent: it may
   * have begun in the middle of one, and has nothing that `committed` doesn't wait for.
   */
  readonly counted?: () => ReadonlySet<SessionId> | null
  readonly wallMs: () => number
  readonly days: (asset: 'crypto' | 'forex' | 'stocks') => DayGrid
  /** Limits what is visible; absent: everything is. */
  readonly visible?: Visible
  /** Called when a read failed. */
  readonly failed: (what: string, thrown: unknown) => void
}

/** The part of the store visible at the view's current time. */
export interface Visible {
  sessions(rows: readonly SessionRow[]): readonly SessionRow[]
  gaps(gaps: readonly Gap[]): readonly Gap[]
}

export class StoredView {
  readonly reader: StoreReader
  readonly source: () => string
  readonly present: () => SeqLimits
  readonly wallMs: () => number
  readonly days: StoredViewOptions['days']
  readonly failed: StoredViewOptions['failed']
  readonly #committed: StoredViewOptions['committed']
  readonly #counted: StoredViewOptions['counted']
  readonly #visible: Visible | undefined

  constructor(options: StoredViewOptions) {
    this.reader = options.reader
    this.source = options.source
    this.present = options.present
    this.wallMs = options.wallMs
    this.days = options.days
    this.failed = options.failed
    this.#committed = options.committed
    this.#counted = options.counted
    this.#visible = options.visible
  }

  /** Whether nothing is hidden: the view is not a replay. */
  get showsAll(): boolean {
    return this.#visible === undefined
  }

  visibleGaps(gaps: readonly Gap[]): readonly Gap[] {
    return this.#visible?.gaps(gaps) ?? gaps
  }

  /** The visible sessions of the source, without their gaps. */
  async sessions(): Promise<readonly SessionRow[]> {
    const rows = await this.reader.sessions(true)
    const mine = rows.filter((row) => matchesSource(row.source, this.source()))
    return this.#visible?.sessions(mine) ?? mine
  }

  /**
   * Resolves when everything up to `present` can be read, with that. Without the sessions that aren't stored, such as
   * one that a full disk doesn't let begin: then all that is stored is from before.
   */
  async upToNow(): Promise<SeqLimits> {
    const now = this.present()
    if (await this.untilCommitted(now)) return now
    const stored = new Set((await this.reader.sessions(true)).map(({ session }) => session))
    return new Map([...now].filter(([session]) => stored.has(session)))
  }

  /**
   * Limits that leave out every session that the hub received, whether or not the disk took all of it; a session that
   * begins later is left out too. Null if the hub may have begun in the middle of one.
   */
  async beforeHub(): Promise<SeqLimits | null> {
    if ((this.#counted?.() ?? null) === null) return null
    const rows = (await this.reader.sessions(true)).filter((row) => matchesSource(row.source, this.source()))
    // Asked for again, because a session may have begun meanwhile.
    const counted = this.#counted?.() ?? null
    return counted && new Map(rows.map(({ session }) => [session, counted.has(session) ? 0 : Infinity]))
  }

  async untilCommitted(limits: SeqLimits): Promise<boolean> {
    return limits.size === 0 || this.#committed(limits)
  }

  async newestBars(
    query: Pick<BarQuery, 'instrument' | 'of' | 'interval' | 'limit' | 'skipCorrupt'>,
  ): Promise<BarPage> {
    const upTo = await this.upToNow()
    try {
      return await this.reader.bars({ ...query, source: this.source(), beforeMs: null, upTo })
    } catch (thrown) {
      // A store that does not exist yet is empty.
      if (toFailure(thrown).code === 'not-found') return { bars: [], more: false, gaps: [] }
      throw thrown
    }
  }

  /** Reads something; if that fails, calls `failed` and resolves with `nothing`. */
  async guarded<T>(what: string, nothing: T, read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (thrown) {
      this.failed(what, thrown)
      return nothing
    }
  }
}

/** Whether a gap affects an instrument. */
export const isGapOf = ({ feed, symbols }: Gap, id: InstrumentId): boolean =>
  symbols.length === 0 || symbols.some((one) => instrumentId(feedAsset(feed), one) === id)
