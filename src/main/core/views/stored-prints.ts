/** The stored prints of a view's source. */
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import { parseInstrument, unixMs, type FeedId, type InstrumentId, type SessionId } from '../../../shared/base/units.ts'
import type { Print } from '../../../shared/core/market/market.ts'
import { FLAG, type SessionRow, STORED_ONLY } from '../../../shared/core/recording/session.ts'
import type { PrintsPage, PrintsPlace } from '../../../shared/core/views/contract.ts'
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import type { TickColumns } from '../store/types/ticks.ts'
import { isGapOf, type StoredView } from './stored-view.ts'

/**
 * How far back prints are searched, ms, in steps, so that a busy instrument doesn't read a whole day for a hundred
 * prints.
 */
const LOOK_BACK_MS = [120_000, 1_800_000] as const

/** The feed of an instrument's trades; null: it has none, such as forex. Mids of quotes are no prints. */
export const tapeFeed = (id: InstrumentId): FeedId | null =>
  TICK_FEEDS[parseInstrument(id)?.asset ?? 'stocks'].find((feed) => FEEDS[feed].kind === 'trade') ?? null

/** The newest `limit` prints of the open sessions. Rejects like the reader, but calls `failed` for corrupt data. */
export async function readNewestPrints(view: StoredView, id: InstrumentId, limit: number): Promise<readonly Print[]> {
  const shortened = (thrown: unknown): void => view.failed('prints', thrown)
  const found: (readonly Print[])[] = []
  for (const [session, seq] of await view.upToNow()) {
    const { prints } = await printsOf(view, id, { session, seq: seq + 1, ms: view.wallMs() }, limit, shortened)
    if (prints.length > 0) found.push(prints)
  }
  // Prints of one session stay in its order, whatever the wall clock did.
  if (found.length <= 1) return found[0] ?? []
  return found
    .flat()
    .toSorted((a, b) => a.recvMs - b.recvMs)
    .slice(-limit)
}

/** See `ViewHistory.printsBefore`. */
export async function readPrintsBefore(
  view: StoredView,
  id: InstrumentId,
  before: PrintsPlace | null,
  limit: number,
): Promise<PrintsPage> {
  const now = await view.upToNow()
  const rows = inTurn(await view.sessions()).map(({ of }) => of)
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
    const place = { session, seq: Math.min(seq ?? Infinity, last), ms: ms ?? endedMs ?? view.wallMs() }
    const page = await printsOf(view, id, place, limit)
    const [oldest] = page.prints
    if (oldest !== undefined) {
      const here = page.more ? { session, seq: oldest.seq, ms: oldest.recvMs } : null
      return { prints: page.prints, older: here ?? wholeOf(rows[at - 1]) }
    }
    seq = ms = null
  }
  return { prints: [], older: null }
}

/**
 * The newest prints of a session before a seq; `ms` is roughly its time. If older data is corrupt, calls
 * `shortened` and returns only the prints after it; without `shortened`, throws.
 */
async function printsOf(
  { reader }: StoredView,
  id: InstrumentId,
  before: { readonly session: SessionId; readonly seq: number; readonly ms: number },
  limit: number,
  shortened?: (thrown: unknown) => void,
): Promise<{ readonly prints: readonly Print[]; readonly more: boolean }> {
  const { session } = before
  const feed = tapeFeed(id)
  if (feed === null) return { prints: [], more: false }
  const cuts = (await reader.gaps({ feed, session, skipCorrupt: true }))
    .filter((gap) => isGapOf(gap, id))
    .map(({ fromSeq }) => fromSeq)
    .toSorted((a, b) => a - b)
  let nearer = new NewestPrints(limit, cuts)
  for (const back of [...LOOK_BACK_MS, Infinity]) {
    const newest = new NewestPrints(limit, cuts)
    const query = { feed, instruments: [id], session, asInSource: true }
    const fromMs = back === Infinity ? {} : { fromMs: before.ms - back }
    try {
      for await (const columns of reader.ticks({ ...query, ...fromMs })) {
        if (columns.seq[0] >= before.seq) break // runs of a session come in seq order
        addPrints(newest, columns, before.seq)
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

const wholeOf = (row: SessionRow | undefined): PrintsPlace | null =>
  row === undefined ? null : { session: row.session, seq: null, ms: null }

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
  const { fields } = FEEDS[columns.feed]
  const column = (key: string | undefined) =>
    key !== undefined && columns.keys.includes(key) ? columns.column(key) : null
  const price = column(fields.price)
  const size = column(fields.size)
  for (let row = 0; row < columns.count; row += 1) {
    const seq = columns.seq[row]
    if (seq >= beforeSeq || (columns.flags[row] & STORED_ONLY) !== 0) continue
    const value = price?.[row] ?? NaN
    if (!(value > 0 && value < Infinity)) continue
    const undated = (columns.flags[row] & FLAG.undated) !== 0
    newest.add(seq, undated ? NaN : columns.eventMs[row], columns.recvMs[row], value, size?.[row] ?? NaN)
  }
}
