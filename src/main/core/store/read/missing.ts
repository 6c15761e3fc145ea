/** Where a recording has nothing of an instrument: not received, or stored and not readable. */
import type { Hole } from '../../../../shared/core/market/bars.ts'
import type { LedgerEntry } from '../../../../shared/core/recording/recording.ts'
import {
  feedAsset,
  instrumentKey,
  isFeedId,
  parseInstrument,
  recordingId,
  type FeedId,
  type InstrumentId,
} from '../../../../shared/base/units.ts'
import { earliestLost, SILENT_AT_MOST_MS } from '../../../../shared/core/recording/delay-window.ts'
import { Kept, MOST_INSTRUMENTS } from './catalog.ts'
import { HOUR, MINUTE } from '../format/classify.ts'
import type { Damage } from '../types/corruption.ts'
import type { JournalIndex, JournalPart } from './journal-index.ts'
import { lastReceived, newestStamp } from '../format/last-received.ts'
import { damagedGap, type DamagedGap, type StoreQueries } from './queries.ts'
import type { RecordingRow } from '../schema/records.ts'
import { TornFlushes, type Seqs } from '../format/torn-flushes.ts'

/** How far event times may lie from their receipt: recordings further from a page than this have no hole in it. */
const LATEST_MS = 6 * HOUR

/** How far ahead of its receipt a message may be dated: clocks that nobody has compared yet. */
const LEAD_MS = MINUTE

/** An interval without reception and by how much the clocks of service and computer differed. */
export interface SkewedHole extends Hole {
  readonly skewMs?: number
  /** It is what could not be read: an entry or a gap of the ledger, or messages of a flush that was torn. */
  readonly unread?: 'ledger' | 'flush'
}

/** Reads holes; to be called within a read transaction. */
export class HoleReader {
  readonly #queries: StoreQueries
  readonly #journal: JournalIndex
  readonly #torn: TornFlushes
  readonly #sql
  readonly #holesOf = new Map<string, Kept<SkewedHole[]>>()
  #holesVersion = -1

  /** The journal is one that was asked about the same parts before. */
  constructor(queries: StoreQueries, journal: JournalIndex) {
    this.#queries = queries
    this.#journal = journal
    const { db } = queries
    this.#torn = new TornFlushes(db)
    this.#sql = {
      entryFrom: db
        .prepare<[number, number], number>(
          'SELECT wall_ms FROM entry WHERE recording = ? AND seq >= ? ORDER BY seq LIMIT 1',
        )
        .pluck(),
      acks: db.prepare<[number, number], { wall_ms: number; body: string }>(
        `SELECT wall_ms, body FROM entry WHERE recording = ? AND seq <= ?
         AND (body LIKE '{"type":"acknowledged"%' OR body LIKE '{"type":"released"%') ORDER BY seq`,
      ),
    }
  }

  /**
   * Where reception was missing: gaps, the time between recordings, and before a subscription stood. Also what of
   * the ledger cannot be read, which is damage, or throws `store-damaged` where that is null.
   */
  of(
    parts: readonly JournalPart[],
    feed: FeedId,
    instrument: InstrumentId,
    shown: { readonly fromMs: number; readonly toMs: number },
    damage: Damage | null,
  ): SkewedHole[] {
    const key = parseInstrument(instrument)?.key
    const asset = feedAsset(feed)
    const mine = (symbols: readonly string[]): boolean => symbols.some((symbol) => instrumentKey(asset, symbol) === key)
    const holes: SkewedHole[] = []
    const kept = this.#keptHoles(`${feed} ${instrument}`)
    let ended = -Infinity
    let before = 0
    let lastSkewMs = 0
    for (const part of parts) {
      const { row, limit } = part
      // As of a seq it is not known when the recording ends, nor what opens or closes later.
      // One that is still being closed received nothing any more when the next began.
      const skewMs = this.#queries.catalog.gaps(row)?.skewMs ?? 0
      const crash = this.#crash(part, feed)
      const end =
        limit < Infinity ? null : (row.ended_ms ?? this.#queries.catalog.nextStart(row) ?? crash?.endedMs ?? null)
      if (crash !== null) holes.push({ fromMs: crash.lostFromMs, toMs: null, skewMs })
      if (ended < row.started_ms && row.started_ms + skewMs >= shown.fromMs && ended - skewMs <= shown.toMs)
        holes.push({ fromMs: ended, toMs: row.started_ms, skewMs })
      // Of two made here the later ends later, also where the clock was set back between them.
      ended = row.id > 0 && before > 0 ? (end ?? Infinity) : Math.max(ended, end ?? Infinity)
      before = row.id
      lastSkewMs = skewMs
      // A page costs the same, however many days were recorded.
      const near = LATEST_MS + skewMs
      if ((end ?? Infinity) < shown.fromMs - near || row.started_ms > shown.toMs + near) continue
      const read = (): SkewedHole[] => this.#holesIn(row, limit, end, feed, mine)
      holes.push(...(limit < Infinity ? read() : kept.of(row, read)))
      for (const seqs of this.#journal.torn(part)) holes.push(this.#tornHole(row, seqs))
      if (damage === null) this.#refuseTorn(part, shown)
    }
    for (const { fromMs, toMs, unread } of holes) {
      if (unread === 'ledger' && damage === null) throw damagedGap()
      if (unread !== undefined) damage?.lose({ fromMs, toMs: toMs ?? Infinity })
    }
    // After the last recording nothing is received any more; while it lasts, `ended` is without end.
    if (ended < Infinity) holes.push({ fromMs: ended, toMs: null, skewMs: lastSkewMs })
    return holes
  }

  /** A crash that nobody has recovered from yet: nothing after it is received, and its gaps are not written. */
  #crash({ row, limit }: JournalPart, feed: FeedId): { readonly endedMs: number; readonly lostFromMs: number } | null {
    if (limit < Infinity || row.ended_ms !== null || this.#queries.catalog.nextStart(row) !== null) return null
    if (this.#queries.isLive(row)) return null
    const { db } = this.#queries
    const stamp = newestStamp(db, row.id)
    const last = lastReceived(db, row.id, [feed], stamp?.monoNs ?? 0).get(feed)
    const endedMs = Math.max(stamp?.wallMs ?? row.started_ms, last?.recvMs ?? -Infinity)
    return { endedMs, lostFromMs: last === undefined ? endedMs - SILENT_AT_MOST_MS : earliestLost(last, 0, endedMs) }
  }

  /**
   * From when on nothing of the last part can have been received yet, UTC ms; null: it has ended. A bar that begins
   * later holds messages that are dated ahead, and its time is still to come.
   */
  aheadOf(parts: readonly JournalPart[]): number | null {
    const part = parts.at(-1)
    if (part === undefined || (part.limit === Infinity && part.row.ended_ms !== null)) return null
    const { row, limit } = part
    const next = this.#sql.entryFrom.get(row.id, Math.min(limit, Number.MAX_SAFE_INTEGER))
    const nowMs = next ?? newestStamp(this.#queries.db, row.id)?.wallMs ?? row.ended_ms
    if (nowMs === null) return null
    return nowMs + LEAD_MS + (this.#queries.catalog.gaps(row)?.skewMs ?? 0)
  }

  /** Throws `store-damaged` where a flush that cannot be read may have held messages of what is shown. */
  #refuseTorn(part: JournalPart, { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): void {
    const { row, limit } = part
    const skewMs = this.#queries.catalog.gaps(row)?.skewMs ?? 0
    for (const seqs of [
      ...this.#torn.sealed(row.id, 0, Math.min(limit, row.sealed_seq)),
      ...this.#journal.torn(part),
    ]) {
      const dated = this.#torn.datedWithin(row.id, seqs)
      if (dated.fromMs <= toMs + skewMs && (dated.toMs ?? Infinity) >= fromMs - skewMs)
        throw this.#torn.refusal(row.id, seqs)
    }
  }

  /** Holes of closed recordings, each whole; what was missing at the end of one lasts until another begins. */
  #keptHoles(name: string): Kept<SkewedHole[]> {
    const { version } = this.#queries.catalog
    if (version !== this.#holesVersion || this.#holesOf.size >= MOST_INSTRUMENTS) this.#holesOf.clear()
    this.#holesVersion = version
    let kept = this.#holesOf.get(name)
    if (kept === undefined) this.#holesOf.set(name, (kept = new Kept()))
    return kept
  }

  /** Where a recording was not received up to a seq: its gaps, and the time in which the instrument was not asked for. */
  #holesIn(
    row: RecordingRow,
    limit: number,
    end: number | null,
    feed: FeedId,
    mine: (symbols: readonly string[]) => boolean,
  ): SkewedHole[] {
    const holes: SkewedHole[] = []
    const endOf = (toMs: number | null, toSeq: number | null): number | null =>
      limit < Infinity && (toSeq ?? Infinity) > limit ? null : (toMs ?? end)
    const damaged = ({ fromMs, toMs, fromSeq, toSeq }: DamagedGap): void => {
      if (fromSeq <= limit) holes.push({ fromMs, toMs: endOf(toMs, toSeq), unread: 'ledger' })
    }
    for (const gap of this.#queries.gaps({ feed, recording: recordingId(row.key) }, damaged)) {
      if (gap.symbols.length > 0 && !mine(gap.symbols)) continue
      const { fromMs, toMs, fromSeq, toSeq, skewMs = 0 } = gap
      if (fromSeq > limit) continue
      holes.push({ fromMs, toMs: endOf(toMs, toSeq), skewMs: Math.abs(skewMs) })
    }
    for (const seqs of this.#torn.sealed(row.id, 0, Math.min(limit, row.sealed_seq)))
      holes.push(this.#tornHole(row, seqs))
    const edge = { skewMs: this.#queries.catalog.gaps(row)?.skewMs ?? 0 }
    let out: number | null = row.started_ms
    let isTold = false
    for (const { wall_ms, body } of this.#sql.acks.iterate(row.id, Math.min(limit, Number.MAX_SAFE_INTEGER))) {
      const entry = acknowledgedOf(body)
      if (entry === null) {
        // It may have been this instrument's; what was given up is not known to have been received.
        holes.push({ fromMs: wall_ms, toMs: wall_ms, unread: 'ledger' })
        if (!body.startsWith('{"type":"acknowledged"')) out ??= wall_ms
        continue
      }
      isTold = true
      if (entry.feed !== feed || !mine(entry.symbols)) continue
      if (entry.type === 'released') out ??= wall_ms
      else {
        if (out !== null && wall_ms > out) holes.push({ fromMs: out, toMs: wall_ms, ...edge })
        out = null
      }
    }
    // Released for good, or never asked for. An import may hold no acknowledgement at all: nothing follows from that.
    if (isTold && out !== null) holes.push({ fromMs: out, toMs: end, ...edge })
    return holes
  }

  #tornHole(row: RecordingRow, seqs: Seqs): SkewedHole {
    return { ...this.#torn.datedWithin(row.id, seqs), unread: 'flush' }
  }
}

type Acknowledged = LedgerEntry & { readonly type: 'acknowledged' | 'released' }

/** Null: it is damaged. */
function acknowledgedOf(body: string): Acknowledged | null {
  try {
    const entry = JSON.parse(body) as Acknowledged // asked for by its type, and looked at below
    return isFeedId(entry.feed) && Array.isArray(entry.symbols) ? entry : null
  } catch {
    return null
  }
}
