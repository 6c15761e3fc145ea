/** The messages of the trades behind a figure of order flow, such as a volume profile or a delta. */
import { setImmediate as turn } from 'node:timers/promises'
import { CodedError } from '../../../shared/base/errors.ts'
import { rowOfPrice } from '../../../shared/core/market/flow/cells.ts'
import { isUnquoted } from '../../../shared/core/market/flow/side.ts'
import type { MessagePlace, MessagesPage } from '../../../shared/features/evidence/evidence.ts'
import type { EvidenceSubject } from '../../../shared/features/evidence/contract.ts'
import { STORED_ONLY } from '../../../shared/core/recording/session.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { FEEDS } from '../../../service/feeds.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { VERIFY_HINT } from '../../core/store/types/corruption.ts'
import type { TickColumns } from '../../core/store/types/ticks.ts'
import { tapeFeed } from '../../core/views/stored-prints.ts'
import { readMessage } from './read-message.ts'
import { isVisible, visibleSessions } from '../../core/views/view-sessions.ts'
import type { EvidenceView } from './view.ts'

export type TradesSubject = Extract<EvidenceSubject, { is: 'trades' }>

/** A page ends early once its messages reach this many bytes. */
const MAX_BYTES = 4 << 20

/** Sides are read for this long at a time, by receipt, so a page of a long span doesn't hold all of its trades. */
const SIDES_MS = 3_600_000
/** Rows of a session can be this much out of the order of their receipt. */
const OUT_OF_ORDER_MS = 1_000

const keyOf = (seq: number, recvMs: number): string => `${seq} ${recvMs}`

/** A page of the trades in a span of event time, oldest first. */
export async function tradeMessages(
  reader: StoreReader,
  view: EvidenceView,
  instrument: InstrumentId,
  what: TradesSubject,
  after: MessagePlace | null,
  limit: number,
): Promise<Omit<MessagesPage, 'decimals'>> {
  const feed = tapeFeed(instrument)
  if (feed === null) return { messages: [], after: null, bar: null }
  const toMs = what.toMs ?? view.nowMs + 1
  const wanted = what.only === undefined ? null : new WantedTrades(view, instrument, what.only)
  const seen = view.past ? new Set((await visibleSessions(reader, view)).map((row) => row.session)) : null
  const messages: MessagesPage['messages'][number][] = []
  let past = after === null
  let bytes = 0
  let more = false
  const query = { feed, instruments: [instrument], source: view.source, fromMs: what.fromMs, toMs }
  for await (const columns of reader.ticks(query)) {
    if (seen !== null && !seen.has(columns.session)) break
    for (let row = 0; row < columns.count && !more; row++) {
      const { seq, recvMs, flags } = columns
      if ((flags[row] & STORED_ONLY) !== 0 || !isVisible(view, columns.session, seq[row])) continue
      if (!isInRow(what, columns, row)) continue
      if (!past) {
        past = columns.session === after?.session && seq[row] >= after.seq
        continue
      }
      if (wanted !== null && !(await wanted.has(seq[row], recvMs[row]))) continue
      if (messages.length >= limit || bytes >= MAX_BYTES) more = true
      else {
        messages.push(readMessage(columns, row, []))
        bytes += columns.raw(row).length
      }
    }
    if (more) break
    await turn()
  }
  const last = messages.at(-1)
  return {
    messages,
    after: more && last !== undefined ? { session: last.session, seq: last.seq } : null,
    bar: null,
  }
}

/** Whether the price of a trade is in the requested price row; true if none was requested. */
function isInRow({ cell }: TradesSubject, columns: TickColumns, row: number): boolean {
  const { price } = FEEDS[columns.feed].fields
  if (cell === undefined) return true
  return (
    price !== undefined && columns.keys.includes(price) && rowOfPrice(columns.column(price)[row], cell) === cell.row
  )
}

/** The trades without a side, or without a quote to tell it by. Asked in the order of receipt. */
class WantedTrades {
  readonly #view: EvidenceView
  readonly #instrument: InstrumentId
  readonly #only: NonNullable<TradesSubject['only']>
  #found = new Set<string>()
  /** The receipt that was read, [fromMs, toMs), UTC ms. */
  #fromMs = NaN
  #toMs = NaN

  constructor(view: EvidenceView, instrument: InstrumentId, only: NonNullable<TradesSubject['only']>) {
    this.#view = view
    this.#instrument = instrument
    this.#only = only
  }

  /** Rejects with `store-damaged` if it can't be told. */
  async has(seq: number, recvMs: number): Promise<boolean> {
    if (!(recvMs >= this.#fromMs && recvMs < this.#toMs)) await this.#read(recvMs)
    return this.#found.has(keyOf(seq, recvMs))
  }

  async #read(recvMs: number): Promise<void> {
    if (this.#view.sided === undefined) throw new Error('this evidence view reads no sides')
    const found = new Set<string>()
    const [fromMs, toMs] = [recvMs - OUT_OF_ORDER_MS, recvMs + SIDES_MS]
    const range = { instrument: this.#instrument, fromMs, toMs }
    const unread = await this.#view.sided(range, ({ seq, recvMs }, side) => {
      if (this.#only === 'unquoted' ? isUnquoted(side) : side.side === 0) found.add(keyOf(seq, recvMs))
    })
    if (unread.length > 0) {
      throw new CodedError('store-damaged', 'Trades and quotes that the sides depend on are corrupt.', {
        hint: VERIFY_HINT,
      })
    }
    this.#found = found
    this.#fromMs = fromMs
    this.#toMs = toMs
  }
}
