/** Stored bars, gaps and prints of a view's source, up to the view's current time. */
import type { BarsPage, PrintsPage, PrintsPlace } from '../../../shared/core/views/contract.ts'
import type { Interval, BarSource, Print } from '../../../shared/core/market/market.ts'
import type { Span } from '../../../shared/base/spans.ts'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import { FLAG, isTeamKey, matchesSource, type Gap, type SessionRow } from '../../../shared/core/recording/session.ts'
import type { GapSpan } from '../../../shared/core/status/status.ts'
import {
  feedAsset,
  parseInstrument,
  unixMs,
  type FeedId,
  type InstrumentId,
  type SessionId,
} from '../../../shared/base/units.ts'
import { midPrice } from '../../../shared/core/market/bars.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import { RANK, type CellSeed, type DayGrid } from '../market/cell.ts'
import { instrumentId } from '../../../shared/base/units.ts'
import type { SettledFlow, StoredSpan } from '../market/flow/flow-follower.ts'
import type { FlowMessages } from '../market/flow/flow-sink.ts'
import type { HistoryBars } from '../market/streams.ts'
import type { BarPage, BarQuery, SeqLimits } from '../store/types/bars.ts'
import type { StoreReader } from '../store/types/reader.ts'
import type { TickColumns } from '../store/types/ticks.ts'
import { readFlow, type FlowSource } from './flow-history.ts'

export interface ViewHistoryOptions {
  readonly reader: StoreReader
  /** `sourceKey` of the source shown now. */
  readonly source: () => string
  /** The sessions that the hub continues, each with the last seq that the hub has; empty while nothing is recorded. */
  readonly present: () => SeqLimits
  /** Resolves when everything up to these seqs can be read, or after a short time limit. */
  readonly committed: (present: SeqLimits) => Promise<void>
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

export interface ViewHistory {
  /**
   * The readable bars, with gaps where stored messages are corrupt. Empty if the store can't be read at all; `failed`
   * is called with the error.
   */
  bars(id: InstrumentId, of: BarSource, interval: Interval, limit: number): Promise<HistoryBars>
  /** Like `bars`, but rejects if the store can't be read at all. */
  readableBars(id: InstrumentId, of: BarSource, interval: Interval, limit: number): Promise<HistoryBars>
  /** Like `bars`, but rejects if any of them can't be read. */
  barsOrThrow(id: InstrumentId, of: BarSource, interval: Interval, limit: number): Promise<BarsPage['bars']>
  gaps(feed: FeedId, id: InstrumentId, fromMs: number, toMs?: number): Promise<readonly GapSpan[]>
  /** Every gap of the source that may touch [fromMs, toMs), UTC ms, as known at the view's time. Rejects like the reader. */
  sourceGaps(fromMs: number, toMs: number): Promise<readonly Gap[]>
  prints(id: InstrumentId, limit: number): Promise<readonly Print[]>
  /**
   * Passes on an instrument's stored trades and quotes from `fromMs` (receive time, UTC ms), and the earlier ones that
   * their sides depend on, up to `toMs` or to what the hub has now. Corrupt data counts as the end of a session. Resolves
   * with the spans of receive time that couldn't be read, UTC ms.
   */
  flow(id: InstrumentId, fromMs: number, sink: FlowMessages, toMs?: number): Promise<readonly Span[]>
  /** Names the stored messages of spans that are over; see `FlowHistory`. */
  settled(): Promise<SettledFlow>
  /**
   * A page of prints of one session of this source, before a given place; null: the newest prints. Rejects if the
   * store can't be read, and with `not-found` if the place belongs to another source.
   */
  printsBefore(id: InstrumentId, before: PrintsPlace | null, limit: number): Promise<PrintsPage>
  /** Data from before this start: day, reference price and sparkline of an instrument; null if there is none. */
  seed(id: InstrumentId): Promise<CellSeed | null>
}

/**
 * How far back prints are searched, ms, in steps, so that a busy instrument doesn't read a whole day for a hundred
 * prints.
 */
const LOOK_BACK_MS = [120_000, 1_800_000] as const
/** A previous close is used only if something was received this close to the end of its day, ms. */
const CLOSE_WITHIN_MS = 300_000
const DAY = 86_400_000

/** The feed of an instrument's prints. */
export function tapeFeed(id: InstrumentId): FeedId {
  const asset = parseInstrument(id)?.asset ?? 'stocks'
  const feeds = TICK_FEEDS[asset]
  return feeds.find((feed) => FEEDS[feed].kind === 'trade') ?? feeds[0]
}

export function createViewHistory(options: ViewHistoryOptions): ViewHistory {
  const { reader, source, present, committed, wallMs } = options
  const visible: Visible = options.visible ?? { sessions: (rows) => rows, gaps: (gaps) => gaps }
  const guarded = async <T>(what: string, nothing: T, ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask()
    } catch (thrown) {
      options.failed(what, thrown)
      return nothing
    }
  }
  const upToNow = async (): Promise<SeqLimits> => {
    const now = present()
    if (now.size > 0) await committed(now)
    return now
  }
  const newestBars = async (
    query: Pick<BarQuery, 'instrument' | 'of' | 'interval' | 'limit' | 'skipCorrupt'>,
  ): Promise<BarPage> => {
    const upTo = await upToNow()
    try {
      return await reader.bars({ ...query, source: source(), beforeMs: null, upTo })
    } catch (thrown) {
      // A store that does not exist yet is empty.
      if (toFailure(thrown).code === 'not-found') return { bars: [], more: false, gaps: [] }
      throw thrown
    }
  }
  const readableBars: ViewHistory['readableBars'] = async (instrument, of, interval, limit) => {
    const page = await newestBars({ instrument, of, interval, limit, skipCorrupt: true })
    return { bars: page.bars, gaps: gapsUpTo(page.gaps, wallMs()) }
  }
  /** The ledger's head of a closed session, which never changes. */
  const heads = new Map<SessionId, Promise<string | null>>()
  const headOf = (session: SessionId): Promise<string | null> => {
    let head = heads.get(session)
    if (head === undefined) {
      head = reader.ledgerHead([session])
      heads.set(session, head)
      head.catch(() => heads.delete(session))
    }
    return head
  }
  /**
   * A session's messages in a span can be named once the session has ended or has stored a message received after the
   * span, because it stores them in seq order.
   */
  const nameOf = async (
    rows: readonly SessionRow[],
    limits: SeqLimits,
    fromMs: number,
    toMs: number,
  ): Promise<StoredSpan | null> => {
    // A terminal on a team can still fetch what it missed.
    if (toMs > wallMs() || isTeamKey(source())) return null
    const names: string[] = []
    let proven: SessionId[] | null = []
    /** The last session before the span: it tells how the first one in it begins. */
    let before: SessionRow | null = null
    for (const row of rows) {
      const { session, startedMs, endedMs, messages } = row
      if (endedMs !== null && endedMs < fromMs && endedMs >= (before?.endedMs ?? -Infinity)) before = row
      if (startedMs > toMs || (endedMs ?? Infinity) < fromMs) continue
      const limit = limits.get(session)
      if (endedMs !== null && limit === undefined) {
        const head = await headOf(session)
        names.push(`${session} ${messages} ${head}`)
        if (head === null) proven = null
        else proven?.push(session)
        continue
      }
      const last = await reader.findPosition({ session, ms: toMs })
      const newest = await reader.findPosition({ session, ms: wallMs() })
      const seq = last?.seq ?? 0
      if ((newest?.seq ?? 0) <= seq || (limit ?? Infinity) <= seq) return null
      // What a session has stored never changes.
      names.push(`${session} ..${seq}`)
      proven?.push(session)
    }
    if (names.length > 0 && before !== null) names.push(`after ${before.session}`)
    return { name: names.join(), proven }
  }
  const spans = (gaps: readonly Gap[], id: InstrumentId): GapSpan[] =>
    gaps.filter((gap) => isGapOf(gap, id)).map(({ feed, cause, fromMs, toMs }) => ({ feed, cause, fromMs, toMs }))

  /**
   * The newest prints of a session before a seq; `nearMs` is roughly its time. If older data is corrupt, calls
   * `shortened` and returns only the prints after it; without `shortened`, throws.
   */
  const printsOf = async (
    id: InstrumentId,
    session: SessionId,
    before: number,
    nearMs: number,
    limit: number,
    shortened?: (thrown: unknown) => void,
  ) => {
    const feed = tapeFeed(id)
    const cuts = (await reader.gaps({ feed, session, skipCorrupt: true }))
      .filter((gap) => isGapOf(gap, id))
      .map(({ fromSeq }) => fromSeq)
      .toSorted((a, b) => a - b)
    let nearer = new NewestPrints(limit, cuts)
    for (const back of [...LOOK_BACK_MS, Infinity]) {
      const newest = new NewestPrints(limit, cuts)
      const query = { feed, instruments: [id], session, asInSource: true }
      const fromMs = back === Infinity ? {} : { fromMs: nearMs - back }
      try {
        for await (const columns of reader.ticks({ ...query, ...fromMs })) {
          if (columns.seq[0] >= before) break // runs of a session come in seq order
          addPrints(newest, columns, before)
        }
      } catch (thrown) {
        if (shortened === undefined || toFailure(thrown).code !== 'store-damaged') throw thrown
        shortened(thrown)
        break
      }
      if (newest.isFull || back === Infinity) return { prints: newest.prints, more: newest.isFull }
      nearer = newest
    }
    return { prints: nearer.prints, more: nearer.isFull }
  }

  return {
    bars: (...asked) => guarded('bars', { bars: [], gaps: [] }, () => readableBars(...asked)),
    readableBars,
    barsOrThrow: async (instrument, of, interval, limit) =>
      (await newestBars({ instrument, of, interval, limit })).bars,
    gaps: (feed, id, fromMs, toMs) =>
      guarded('gaps', [], async () => {
        const from = Number.isFinite(fromMs) ? { fromMs } : {}
        const to = toMs === undefined ? {} : { toMs }
        const now = present()
        const found = await reader.gaps({ feed, source: source(), ...from, ...to, skipCorrupt: true })
        const gaps = visible.gaps(found)
        // The hub has the gaps of the open sessions, with their ends.
        return spans(toMs === undefined ? gaps.filter((gap) => !now.has(gap.session)) : gaps, id)
      }),
    sourceGaps: async (fromMs, toMs) =>
      visible.gaps(await reader.gaps({ source: source(), fromMs, toMs, skipCorrupt: true })),
    // Only from the open sessions, because the tape shows today's times. Most instruments are in one of them.
    prints: (id, limit) =>
      guarded('prints', [], async () => {
        const shortened = (thrown: unknown): void => options.failed('prints', thrown)
        const found: (readonly Print[])[] = []
        for (const [session, seq] of await upToNow()) {
          const { prints } = await printsOf(id, session, seq + 1, wallMs(), limit, shortened)
          if (prints.length > 0) found.push(prints)
        }
        // Prints of one session stay in its order, whatever the wall clock did.
        if (found.length <= 1) return found[0] ?? []
        return found
          .flat()
          .toSorted((a, b) => a.recvMs - b.recvMs)
          .slice(-limit)
      }),
    async flow(id, fromMs, sink, toMs) {
      const now = present()
      const nowMs = wallMs()
      const unread: Span[] = []
      const addUnread = (afterMs: number, beforeMs: number): void => {
        const span = { fromMs: Math.max(fromMs, afterMs), toMs: Math.min(toMs ?? nowMs, beforeMs, nowMs) }
        if (span.toMs >= span.fromMs) unread.push(span)
      }
      try {
        if (now.size > 0) await committed(now)
        const mine = (await reader.sessions(true)).filter((row) => matchesSource(row.source, source()))
        const flow: FlowSource = {
          reader,
          sessions: visible.sessions(mine),
          limits: now,
          concerns: (gap) => isGapOf(gap, id),
          damaged({ endedMs }, afterMs, thrown) {
            options.failed('trades', thrown)
            addUnread(afterMs, endedMs ?? Infinity)
          },
        }
        await readFlow(flow, { instrument: id, fromMs, ...(toMs === undefined ? {} : { toMs }) }, sink)
      } catch (thrown) {
        if (sink.isClosed) return []
        // A store that does not exist yet is empty.
        if (toFailure(thrown).code !== 'not-found') {
          options.failed('trades', thrown)
          sink.gap('trade', fromMs)
          sink.gap('quote', fromMs)
          addUnread(fromMs, Infinity)
        }
        sink.sessionBegan('apart')
      }
      return unread
    },
    settled: () =>
      guarded<SettledFlow>('sessions', { firstMs: 0, nameOf: () => Promise.resolve(null) }, async () => {
        const limits = await upToNow()
        const mine = (await reader.sessions(true)).filter((row) => matchesSource(row.source, source()))
        const rows = visible.sessions(mine)
        return {
          firstMs: Math.min(...rows.map((row) => row.startedMs)),
          nameOf: (fromMs, toMs) => guarded('sessions', null, () => nameOf(rows, limits, fromMs, toMs)),
        }
      }),
    async printsBefore(id, before, limit) {
      const now = await upToNow()
      const mine = visible.sessions((await reader.sessions(true)).filter((row) => matchesSource(row.source, source())))
      const rows = inTurn(mine).map(({ of }) => of)
      let at = before === null ? rows.length - 1 : rows.findIndex((row) => row.session === before.session)
      if (before !== null && at < 0) {
        throw new CodedError('not-found', 'That page is from another source.', {
          hint: 'Start again from the newest page.',
        })
      }
      let { seq, ms } = before ?? { seq: null, ms: null }
      for (; at >= 0; at -= 1) {
        const { session, endedMs } = rows[at]
        const last = (now.get(session) ?? Infinity) + 1
        const page = await printsOf(id, session, Math.min(seq ?? Infinity, last), ms ?? endedMs ?? wallMs(), limit)
        const [oldest] = page.prints
        if (oldest !== undefined) {
          const here = page.more ? { session, seq: oldest.seq, ms: oldest.recvMs } : null
          return { prints: page.prints, older: here ?? wholeOf(rows[at - 1]) }
        }
        seq = ms = null
      }
      return { prints: [], older: null }
    },
    seed: (id) =>
      guarded('an instrument', null, async () => {
        const parsed = parseInstrument(id)
        if (!parsed) return null
        const of = parsed.asset === 'forex' ? 'mid' : 'trade'
        const days = options.days(parsed.asset)
        const upTo = await upToNow()
        const ask = (interval: Interval, limit: number, beforeMs: number | null, from: BarSource = of) =>
          reader.bars({
            instrument: id,
            of: from,
            interval,
            source: source(),
            beforeMs,
            limit,
            upTo,
            skipCorrupt: true,
          })
        // An instrument that was quoted but never traded has no other price.
        const lastMid = async () => (of === 'mid' ? [] : (await ask('1m', 1, null, 'mid')).bars).at(-1)
        const now = wallMs()
        const [{ bars: minutes }, { bars: daily }] = await Promise.all([ask('1m', 60, null), ask('1D', 2, null)])
        const newest = daily.at(-1)
        const start = days.startOf(now)
        const dayBefore = days.previous(start)
        const today =
          newest !== undefined &&
          (newest.startMs === start ||
            // after its session, the day's range is still that of the session
            (days.session(newest.startMs) === 'open' && days.previous(newest.startMs) === dayBefore))
            ? newest
            : null
        const dayEnd = days.endOf(dayBefore)
        const closing = Number.isNaN(dayEnd) ? null : await ask('1m', 1, dayEnd)
        const lastOfDay = closing?.bars.at(-1)
        const closeKnown =
          closing !== null &&
          lastOfDay !== undefined &&
          dayEnd - lastOfDay.startMs <= CLOSE_WITHIN_MS &&
          // a corrupt span may hold the last price of that day
          closing.gaps.every((gap) => gap.fromMs >= dayEnd || (gap.toMs ?? Infinity) <= lastOfDay.startMs)
        const spark = minutes.filter(({ startMs }) => now - startMs < 3_600_000)
        // Not in a replay: after a seek it would be a price from the future.
        const lastMinute = options.visible === undefined ? (minutes.at(-1) ?? (await lastMid())) : undefined
        const stored =
          lastMinute === undefined ? null : { price: lastMinute.close, atMs: unixMs(Math.min(lastMinute.endMs, now)) }
        if (today === null && !closeKnown && spark.length === 0 && stored === null) return null
        return {
          stored,
          rank: of === 'mid' ? RANK.mid : RANK.trade,
          dayBefore,
          previousClose: closeKnown ? lastOfDay.close : null,
          today:
            today === null
              ? null
              : {
                  ...today,
                  session: days.session(today.startMs),
                  whole: today.complete && today.endMs - today.startMs <= DAY * 1.1,
                },
          spark: spark.map(({ startMs, close }) => ({ minute: Math.floor(startMs / 60_000), close })),
        }
      }),
  }
}

/** Gaps up to `nowMs`, UTC. */
export const gapsUpTo = (gaps: readonly GapSpan[], nowMs: number): readonly GapSpan[] =>
  gaps.flatMap((gap) => (gap.fromMs > nowMs ? [] : [{ ...gap, toMs: unixMs(Math.min(gap.toMs ?? Infinity, nowMs)) }]))

const wholeOf = (row: SessionRow | undefined): PrintsPlace | null =>
  row === undefined ? null : { session: row.session, seq: null, ms: null }

/** Whether a gap affects an instrument. */
const isGapOf = ({ feed, symbols }: Gap, id: InstrumentId): boolean =>
  symbols.length === 0 || symbols.some((one) => instrumentId(feedAsset(feed), one) === id)

/**
 * The newest prints of a run, at most `limit`, with the same directions as live (market/cell.ts): a print after a gap
 * has none, and a late print doesn't count as the previous one. One extra print is held for the direction of the
 * first.
 */
class NewestPrints {
  readonly #ring: Print[] = []
  readonly #limit: number
  /** Seqs of gaps that opened, ascending: the first print after one has no direction. */
  readonly #cuts: readonly number[]
  #cut = 0
  #before = NaN
  #beforeMs = -Infinity
  constructor(limit: number, cuts: readonly number[]) {
    this.#limit = limit
    this.#cuts = cuts
  }

  add(seq: number, eventMs: number, recvMs: number, price: number, size: number): void {
    const from = this.#cut
    while (this.#cuts[this.#cut] < seq) this.#cut += 1
    if (this.#cut > from) {
      this.#before = NaN
      this.#beforeMs = -Infinity
    }
    const step = Math.sign(price - this.#before)
    const direction = Number.isNaN(step) ? null : step > 0 ? 1 : step < 0 ? -1 : 0
    const atMs = Number.isNaN(eventMs) ? recvMs : eventMs
    if (atMs >= this.#beforeMs) {
      this.#before = price
      this.#beforeMs = atMs
    }
    this.#ring.push({
      seq,
      eventMs: Number.isNaN(eventMs) ? null : unixMs(eventMs),
      recvMs: unixMs(recvMs),
      price,
      size: Number.isNaN(size) ? null : size,
      direction,
    })
    if (this.#ring.length > this.#limit * 2 + 1) this.#ring.splice(0, this.#ring.length - this.#limit - 1)
  }

  get isFull(): boolean {
    return this.#ring.length > this.#limit
  }

  get prints(): readonly Print[] {
    return this.#ring.slice(-this.#limit)
  }
}

function addPrints(newest: NewestPrints, columns: TickColumns, beforeSeq: number): void {
  const { fields, kind } = FEEDS[columns.feed]
  const column = (key: string | undefined) =>
    key !== undefined && columns.keys.includes(key) ? columns.column(key) : null
  const price = column(fields.price)
  const size = column(fields.size)
  const bid = column(fields.bid)
  const ask = column(fields.ask)
  const skip = FLAG.unasked | FLAG.undecodable | FLAG.control
  for (let row = 0; row < columns.count; row += 1) {
    const seq = columns.seq[row]
    if (seq >= beforeSeq || (columns.flags[row] & skip) !== 0) continue
    const value = kind === 'quote' ? midPrice(bid?.[row] ?? NaN, ask?.[row] ?? NaN) : (price?.[row] ?? NaN)
    if (!(value > 0 && value < Infinity)) continue
    const undated = (columns.flags[row] & FLAG.undated) !== 0
    newest.add(seq, undated ? NaN : columns.eventMs[row], columns.recvMs[row], value, size?.[row] ?? NaN)
  }
}
