/** The stored trades and quotes of an instrument in seq order, as its sides are judged by. */
import { FLAG, isTeamKey, type Gap, type SessionRow, STORED_ONLY } from '../../../shared/core/recording/session.ts'
import { toFailure } from '../../../shared/base/errors.ts'
import { usable } from '../../../shared/core/market/bars.ts'
import type { SessionStart } from '../../../shared/core/market/flow/gap-count.ts'
import { SIDES_LOOKBACK_MS } from '../../../shared/core/market/flow/side.ts'
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import { parseInstrument, type FeedId } from '../../../shared/base/units.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import type { FlowRange } from '../market/flow/flow-follower.ts'
import type { FlowMessages } from '../market/flow-sink.ts'
import type { SeqLimits } from '../store/types/bars.ts'
import type { StoreReader } from '../store/types/reader.ts'
import type { TickColumns } from '../store/types/ticks.ts'

export interface FlowSource {
  readonly reader: Pick<StoreReader, 'ticks' | 'gaps' | 'findPosition'>
  readonly sessions: readonly SessionRow[]
  /** The last visible seq of each session that continues after it. */
  readonly limits: SeqLimits
  /** Whether an instrument is missing in a gap. */
  readonly concerns: (gap: Gap) => boolean
  /** Stored messages of a session after this receipt, UTC ms, are corrupt. */
  readonly damaged: (session: SessionRow, afterMs: number, thrown: unknown) => void
}

/**
 * Passes on the messages of these sessions, and the earlier ones that the range's sides depend on. Where a session can't
 * be read further, continues with the next one. Ends with `sessionBegan` if later messages can't belong to the last
 * session.
 */
export async function readFlow(
  source: FlowSource,
  { instrument, fromMs, toMs = Infinity }: FlowRange,
  sink: FlowMessages,
): Promise<void> {
  let isOpen = false
  let isFirst = true
  const { reader, limits, concerns } = source
  const asset = parseInstrument(instrument)?.asset ?? 'stocks'
  const onlyTrades = sink.needsOnlyTrades === true
  const feeds = TICK_FEEDS[asset].filter((feed) => !onlyTrades || FEEDS[feed].kind === 'trade')
  const lookback = onlyTrades ? 0 : SIDES_LOOKBACK_MS
  const stored = new StoredTime(reader)
  /** Sources with messages of the instrument so far. */
  const heard = new Set<string>()
  for (const { of: row, notBeforeMs } of inTurn(source.sessions)) {
    if (sink.isClosed) return
    // Of a team's shards, only one records the instrument.
    const followed = await stored.follow(row)
    const begin = followed === 'after break' && isTeamKey(row.source) && !heard.has(row.source) ? 'apart' : followed
    if ((row.endedMs ?? Infinity) < fromMs || row.startedMs > toMs) continue
    const session = row.session
    const runs: FeedRun[] = []
    try {
      // The position is that of the last message at or before an instant.
      const start = await reader.findPosition({ session, ms: fromMs - lookback - 1 })
      const last = toMs === Infinity ? null : await reader.findPosition({ session, ms: toMs })
      const visible = limits.get(session) ?? Infinity
      let limit = Math.min(visible, last?.seq ?? Infinity)
      // A session that began before the range doesn't begin in it.
      if (!isFirst || start === null) sink.sessionBegan(begin)
      isFirst = false
      if (toMs < Infinity && last === null) continue
      isOpen = limits.has(session)
      const gapsOf = new Map<FeedId, readonly Gap[]>()
      for (const feed of feeds) {
        const gaps = (await reader.gaps({ feed, session, skipCorrupt: true })).filter(concerns)
        gapsOf.set(feed, gaps)
        if (sink.needsLateGaps !== true) continue
        const late = gaps.filter(({ fromMs, fromSeq }) => fromMs <= toMs && fromSeq <= visible)
        limit = Math.max(limit, ...late.map(({ fromSeq }) => fromSeq))
      }
      const afterSeq = start?.seq ?? 0
      for (const [feed, gaps] of gapsOf) {
        const query = { feed, instruments: [instrument], session, afterSeq, upToSeq: limit }
        const cuts = gaps.filter(({ fromSeq }) => fromSeq > afterSeq)
        const run = new FeedRun(feed, reader.ticks(query), cuts, notBeforeMs)
        runs.push(run)
        await run.next()
      }
      await mergeRuns(runs, sink)
      if (runs.some((run) => run.recvMs > -Infinity)) heard.add(row.source)
      if (sink.isClosed) return
      for (const run of runs) run.passGaps(limit + 1, sink)
    } catch (thrown) {
      if (toFailure(thrown).code !== 'store-damaged') throw thrown
      const afterMs = Math.max(row.startedMs, ...runs.map((run) => run.recvMs))
      sink.gap('trade', afterMs)
      if (!onlyTrades) sink.gap('quote', afterMs)
      isOpen = false
      source.damaged(row, afterMs, thrown)
    }
  }
  // Of a range that has an end, nothing follows.
  if (!isOpen && toMs === Infinity) sink.sessionBegan('apart')
}

/** Finds out how sessions begin. */
class StoredTime {
  readonly #reader: Pick<StoreReader, 'gaps'>
  /** Of each source, its last session so far, and when what is stored of it ends, UTC ms; Infinity: not yet. */
  readonly #last = new Map<string, FollowedSession>()

  constructor(reader: Pick<StoreReader, 'gaps'>) {
    this.#reader = reader
  }

  /** Takes the sessions in reading order. Returns how this one begins after those before. */
  async follow({ session, source, startedMs, endedMs, imported }: SessionRow): Promise<SessionStart> {
    const last = this.#last.get(source)
    const isForeign = imported || isTeamKey(source)
    const endMs = endedMs ?? Infinity
    // Only sessions of other computers can overlap. Here, the later one ends later, even if the clock was set back.
    const mayOverlap = isForeign || last?.isForeign === true
    const untilMs = mayOverlap ? Math.max(endMs, last?.endMs ?? -Infinity) : endMs
    this.#last.set(source, { session, isForeign, startedMs, endMs: untilMs })
    if (last === undefined) return 'apart'
    if (mayOverlap) return startedMs > last.endMs ? 'after break' : 'apart'
    if (last.endMs < Infinity) return startedMs === last.endMs ? 'at once' : 'after break'
    // The end of the last one isn't written right away. Without a break, a session only begins on a new day.
    const isBreak = utcDay(startedMs) === utcDay(last.startedMs) || (await this.#hasStopped(last))
    return isBreak ? 'after break' : 'at once'
  }

  /** Whether a session whose end isn't written yet was stopped, or left open by a crash, rather than ended at midnight. */
  async #hasStopped({ session }: FollowedSession): Promise<boolean> {
    const gaps = await this.#reader.gaps({ session, skipCorrupt: true })
    // At midnight, every open gap is closed.
    return gaps.some(({ cause, toSeq }) => toSeq === null || cause === 'crash' || cause === 'worker')
  }
}

interface FollowedSession extends Pick<SessionRow, 'session' | 'startedMs'> {
  readonly isForeign: boolean
  readonly endMs: number
}

const utcDay = (ms: number): number => Math.floor(ms / 86_400_000)

/** Passes on the rows of all feeds in seq order. */
async function mergeRuns(runs: readonly FeedRun[], sink: FlowMessages): Promise<void> {
  for (;;) {
    let run = runs[0]
    let until = Infinity
    for (const other of runs.slice(1)) {
      until = Math.max(run.seq, other.seq)
      if (other.seq < run.seq) run = other
    }
    if (run.seq === Infinity || sink.isClosed) return
    run.pass(until, runs, sink)
    if (run.isSpent) await run.next()
  }
}

type Cut = Pick<Gap, 'fromSeq' | 'fromMs'>

/** The rows of one feed, read run by run. */
class FeedRun {
  readonly #feed: FeedId
  readonly #runs: AsyncIterator<TickColumns, unknown>
  /** Where messages were lost, ascending. */
  readonly #cuts: readonly Cut[]
  readonly #notBeforeMs: number
  #cut = 0
  /** Seq of the next gap; Infinity: none is left. */
  #cutSeq: number
  #columns: TickColumns | null = null
  #row = 0
  #price: Float64Array | null = null
  #size: Float64Array | null = null
  #bid: Float64Array | null = null
  #ask: Float64Array | null = null
  /** Seq of the next row; Infinity: none is left. */
  seq = Infinity
  /** Receipt of the last row that was passed on, UTC ms. */
  recvMs = -Infinity

  /** `cuts`: where messages were lost. Nothing is read before `next`. */
  constructor(feed: FeedId, runs: AsyncIterable<TickColumns>, cuts: readonly Cut[], notBeforeMs: number) {
    this.#feed = feed
    this.#runs = runs[Symbol.asyncIterator]()
    this.#cuts = cuts.toSorted((a, b) => a.fromSeq - b.fromSeq)
    this.#cutSeq = this.#cuts.at(0)?.fromSeq ?? Infinity
    this.#notBeforeMs = notBeforeMs
  }

  get isSpent(): boolean {
    return this.#columns !== null && this.#row >= this.#columns.count
  }

  async next(): Promise<void> {
    const next = await this.#runs.next()
    this.#row = 0
    this.#columns = next.done === true ? null : next.value
    this.seq = this.#columns?.seq[0] ?? Infinity
    if (this.#columns === null) return
    const columns = this.#columns
    const { fields } = FEEDS[this.#feed]
    const column = (key: string | undefined) =>
      key !== undefined && columns.keys.includes(key) ? columns.column(key) : null
    this.#price = column(fields.price)
    this.#size = column(fields.size)
    this.#bid = column(fields.bid)
    this.#ask = column(fields.ask)
  }

  /** Passes the gaps on that opened before a seq. */
  passGaps(seq: number, sink: FlowMessages): void {
    const { kind } = FEEDS[this.#feed]
    while (this.#cutSeq < seq) {
      if (kind !== 'bar') sink.gap(kind, this.#cuts[this.#cut].fromMs)
      this.#cutSeq = this.#cuts.at(++this.#cut)?.fromSeq ?? Infinity
    }
  }

  /** Passes rows on up to a seq, as far as they are read. */
  pass(until: number, runs: readonly FeedRun[], sink: FlowMessages): void {
    const columns = this.#columns
    if (columns === null) return
    const { count } = columns
    const { seq, recvMs, eventMs, flags } = columns
    let row = this.#row
    for (; row < count && seq[row] < until; row++) {
      for (const run of runs) if (run.#cutSeq < seq[row]) run.passGaps(seq[row], sink)
      if ((flags[row] & STORED_ONLY) !== 0 || recvMs[row] < this.#notBeforeMs) continue
      const atMs = (flags[row] & FLAG.undated) !== 0 ? NaN : eventMs[row]
      const price = this.#price?.[row] ?? NaN
      if (this.#price === null)
        sink.quote(seq[row], recvMs[row], atMs, this.#bid?.[row] ?? NaN, this.#ask?.[row] ?? NaN)
      else if (usable(price)) sink.trade(seq[row], recvMs[row], atMs, price, this.#size?.[row] ?? NaN)
    }
    if (row > 0) this.recvMs = recvMs[row - 1]
    this.#row = row
    this.seq = row < count ? seq[row] : Infinity
  }
}
