/** Finds the messages behind a number on screen: a bar, a trade or a quote. */
import { setImmediate as turn } from 'node:timers/promises'
import { sameVolume } from '../../../shared/features/evidence/agreement.ts'
import { rowOfPrice } from '../../../shared/core/market/flow/cells.ts'
import { gridOf } from '../../../shared/core/market/calendar.ts'
import type { CallArgs } from '../../../shared/contracts.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type {
  BarArithmetic,
  BarEvidence,
  EvidenceMessage,
  MessagePlace,
  MessagesPage,
} from '../../../shared/features/evidence/evidence.ts'
import { msOf, SERVICE_BAR_FEEDS, serviceBarFeed } from '../../../shared/core/market/market.ts'
import { isTeamKey, type SessionRow, STORED_ONLY } from '../../../shared/core/recording/session.ts'
import {
  feedAsset,
  parseInstrument,
  unixMs,
  type FeedId,
  type InstrumentId,
  type SessionId,
} from '../../../shared/base/units.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { TickColumns } from '../../core/store/types/ticks.ts'
import { BarTerms } from './bar-terms.ts'
import { readMessage } from './read-message.ts'
import { tradeMessages } from './trade-messages.ts'
import { isVisible, visibleSessions } from '../../core/views/view-sessions.ts'
import type { EvidenceView } from './view.ts'

type Args = CallArgs<'evidence.messages'>
type BarArgs = Extract<Args['what'], { is: 'bar' }>
type PrintArgs = Extract<Args['what'], { is: 'print' }>
type Page = Omit<MessagesPage, 'decimals'>

/** A page ends early once its messages reach this many bytes. */
const MAX_BYTES = 4 << 20
/** How far back to search for a quote's messages, in steps. */
const LOOK_BACK_MS = [120_000, 1_800_000, Infinity] as const
/** Maximum sessions searched for a quote's messages. */
const MAX_SESSIONS = 3

/** Reads a page of messages. Rejects with `not-found` if the trade isn't stored or no bar exists at that time. */
export function readMessages(reader: StoreReader, view: EvidenceView, args: Args): Promise<Page> {
  const { what, instrument, after, limit } = args
  switch (what.is) {
    case 'bar':
      return barMessages(reader, view, instrument, what, after, limit)
    case 'print':
      return printMessage(reader, view, instrument, what)
    case 'quote':
      return quoteMessages(reader, view, instrument)
    case 'trades':
      return tradeMessages(reader, view, instrument, what, after, limit)
  }
}

function feedOf(instrument: InstrumentId, { of, interval }: BarArgs): FeedId {
  const asset = parseInstrument(instrument)?.asset ?? 'stocks'
  if (of === 'service') return serviceBarFeed(asset, msOf(interval)) ?? SERVICE_BAR_FEEDS[asset].minute
  const kind = of === 'trade' ? 'trade' : 'quote'
  return TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === kind) ?? TICK_FEEDS[asset][0]
}

async function barMessages(
  reader: StoreReader,
  view: EvidenceView,
  instrument: InstrumentId,
  what: BarArgs,
  after: MessagePlace | null,
  limit: number,
): Promise<Page> {
  const feed = feedOf(instrument, what)
  const grid = gridOf(feedAsset(feed), what.interval)
  const startMs = grid.startOf(what.startMs)
  if (Number.isNaN(startMs)) throw new CodedError('not-found', 'No bar at that time: the market is closed.')
  const endMs = grid.endOf(startMs)
  const seen = view.past ? new Set((await visibleSessions(reader, view)).map((row) => row.session)) : null
  const terms = new BarTerms(what.of, grid, startMs)
  const messages: { readonly columns: TickColumns; readonly row: number }[] = []
  let past = after === null
  let bytes = 0
  let more = false
  const query = { feed, instruments: [instrument], source: view.source, fromMs: startMs, toMs: endMs }
  for await (const columns of reader.ticks(query)) {
    if (seen !== null && !seen.has(columns.session)) break
    const rows = terms.take(columns, (i) => isVisible(view, columns.session, columns.seq[i]))
    for (const row of rows) {
      if (!isInCell(what, columns, row)) continue
      if (!past) {
        past = columns.session === after?.session && columns.seq[row] >= after.seq
        continue
      }
      if (messages.length >= limit || bytes >= MAX_BYTES) {
        more = true
        break
      }
      messages.push({ columns, row })
      bytes += columns.raw(row).length
    }
    // Only the first page needs every row of the bar, for the arithmetic.
    if (more && after !== null) break
    await turn()
  }
  const found = after === null ? terms.done() : null
  const arithmetic = found?.arithmetic ?? null
  const page = messages.map(({ columns, row }) => readMessage(columns, row, rolesOf(columns, row, arithmetic)))
  const last = page.at(-1)
  return {
    messages: page,
    after: more && last !== undefined ? { session: last.session, seq: last.seq } : null,
    bar:
      after === null && what.cell === undefined
        ? await compare(reader, view, instrument, what, startMs, endMs, arithmetic)
        : null,
  }
}

/** Whether the price of a row is in the requested cell; true if no cell was requested. */
function isInCell({ cell }: BarArgs, columns: TickColumns, row: number): boolean {
  const { price } = FEEDS[columns.feed].fields
  if (cell === undefined) return true
  if (price === undefined || !columns.keys.includes(price) || (columns.flags[row] & STORED_ONLY) !== 0) return false
  return rowOfPrice(columns.column(price)[row], cell) === cell.row
}

function rolesOf(columns: TickColumns, row: number, bar: BarArithmetic | null): string[] {
  if ((columns.flags[row] & STORED_ONLY) !== 0) return ['left out']
  if (bar === null) return []
  return (['open', 'high', 'low', 'close'] as const).filter(
    (part) => bar[part].session === columns.session && bar[part].seq === columns.seq[row],
  )
}

async function compare(
  reader: StoreReader,
  view: EvidenceView,
  instrument: InstrumentId,
  { of, interval }: BarArgs,
  startMs: number,
  endMs: number,
  arithmetic: BarArithmetic | null,
): Promise<BarEvidence> {
  const { bars } = await reader.bars({
    instrument,
    of,
    interval,
    source: view.source,
    beforeMs: endMs,
    fromMs: startMs,
    limit: 1,
    upTo: view.upTo ?? undefined,
  })
  const bar = bars.find((one) => one.startMs === startMs)
  const same =
    bar === undefined || arithmetic === null
      ? null
      : bar.open === arithmetic.open.value &&
        bar.high === arithmetic.high.value &&
        bar.low === arithmetic.low.value &&
        bar.close === arithmetic.close.value &&
        bar.count === arithmetic.count &&
        (bar.volume === null || arithmetic.volume === null
          ? bar.volume === arithmetic.volume
          : sameVolume(bar.volume, arithmetic.volume))
  const stored =
    bar === undefined
      ? null
      : {
          open: bar.open,
          high: bar.high,
          low: bar.low,
          close: bar.close,
          volume: bar.volume,
          count: bar.count,
          complete: bar.complete,
        }
  return { of, interval, startMs: unixMs(startMs), endMs: unixMs(endMs), arithmetic, stored, same }
}

/** The session that contains an instant (UTC ms), or the newest session if none does. */
function sessionAt(rows: readonly SessionRow[], ms: number | null): SessionRow | undefined {
  if (ms === null) return rows.at(-1)
  return rows.findLast((row) => row.startedMs <= ms && ms <= (row.endedMs ?? Infinity)) ?? rows.at(-1)
}

async function printMessage(
  reader: StoreReader,
  view: EvidenceView,
  instrument: InstrumentId,
  { session: named, seq, recvMs }: PrintArgs,
): Promise<Page> {
  const none = new CodedError('not-found', 'The message of this trade isn’t in the store.', {
    hint: 'Tapedeck wasn’t recording then, or the session was deleted.',
  })
  const rows = await visibleSessions(reader, view)
  const asset = parseInstrument(instrument)?.asset ?? 'stocks'
  const feeds = [...TICK_FEEDS[asset], SERVICE_BAR_FEEDS[asset].minute]
  let found: TickColumns | null = null
  for (const { session } of sessionsOfTrade(view, rows, named, recvMs)) {
    if (seq === 0 || !isVisible(view, session, seq)) continue
    for (const feed of feeds) {
      const query = { feed, instruments: [instrument], session }
      for await (const columns of reader.ticks({ ...query, afterSeq: seq - 1, upToSeq: seq })) {
        if (columns.count > 0 && (found === null || delayOf(columns, recvMs) < delayOf(found, recvMs))) found = columns
      }
    }
  }
  if (found === null) throw none
  return { messages: [readMessage(found, 0, ['print'])], after: null, bar: null }
}

const delayOf = ({ recvMs: [first] }: TickColumns, recvMs: number | null): number => Math.abs(first - (recvMs ?? first))

/** How far the clocks of a team's recorders can be apart, ms. */
const CLOCKS_MS = 6 * 3_600_000

/**
 * The sessions that may hold a print whose session isn't known. Several recorders of a team run at the same time; the
 * one that received a message with this seq then is the right one.
 */
function sessionsOfTrade(
  { source }: EvidenceView,
  rows: readonly SessionRow[],
  named: SessionId | null,
  ms: number | null,
): readonly SessionRow[] {
  if (named !== null) return rows.filter(({ session }) => session === named)
  if (!isTeamKey(source) || ms === null) return [sessionAt(rows, ms)].filter((row) => row !== undefined)
  return rows.filter((row) => row.startedMs - CLOCKS_MS <= ms && ms <= (row.endedMs ?? Infinity) + CLOCKS_MS)
}

interface Wanted {
  readonly role: 'last' | 'bid' | 'ask'
  readonly usable: (columns: TickColumns, row: number) => boolean
}

/** The newest trade, and the newest messages with a bid and an ask, which are often the same message. */
async function quoteMessages(reader: StoreReader, view: EvidenceView, instrument: InstrumentId): Promise<Page> {
  const asset = parseInstrument(instrument)?.asset ?? 'stocks'
  const rows = (await visibleSessions(reader, view)).slice(-MAX_SESSIONS).reverse()
  const found = new Map<string, EvidenceMessage>()
  for (const feed of TICK_FEEDS[asset]) {
    const { kind, fields } = FEEDS[feed]
    const has = (part: string, key: string | undefined): Wanted['usable'] => {
      return (columns, row) => {
        const plain = key !== undefined && columns.keys.includes(key) ? columns.column(key)[row] : NaN
        if (!Number.isNaN(plain)) return true
        return readMessage(columns, row, []).read.values.some((one) => one.part === part)
      }
    }
    const wanted: Wanted[] =
      kind === 'trade'
        ? [{ role: 'last', usable: has('price', fields.price) }]
        : [
            { role: 'bid', usable: has('bid', fields.bid) },
            { role: 'ask', usable: has('ask', fields.ask) },
          ]
    for (const row of rows) {
      await newest(reader, view, instrument, feed, row, wanted, found)
      if (wanted.every(({ role }) => found.has(role))) break
    }
  }
  const messages = new Map<string, EvidenceMessage>()
  for (const [role, message] of found) {
    const key = `${message.session} ${message.seq}`
    const known = messages.get(key)
    messages.set(key, { ...message, roles: [...(known?.roles ?? []), role] })
  }
  const sorted = [...messages.values()].sort((a, b) => a.recvMs - b.recvMs || a.seq - b.seq)
  return { messages: sorted, after: null, bar: null }
}

/** Searches one session for the roles still missing in `found`, in growing steps back from its end. */
async function newest(
  reader: StoreReader,
  view: EvidenceView,
  instrument: InstrumentId,
  feed: FeedId,
  { session, endedMs }: SessionRow,
  wanted: readonly Wanted[],
  found: Map<string, EvidenceMessage>,
): Promise<void> {
  const end = Math.min(endedMs ?? view.nowMs, view.nowMs)
  for (const back of LOOK_BACK_MS) {
    const last = new Map<string, { readonly columns: TickColumns; readonly row: number }>()
    const from = back === Infinity ? {} : { fromMs: end - back }
    for await (const columns of reader.ticks({ feed, instruments: [instrument], session, ...from })) {
      for (const { role, usable } of wanted) {
        if (found.has(role)) continue
        for (let row = columns.count - 1; row >= 0; row--) {
          if ((columns.flags[row] & STORED_ONLY) !== 0 || !isVisible(view, session, columns.seq[row])) continue
          if (!usable(columns, row)) continue
          last.set(role, { columns, row })
          break
        }
      }
      await turn()
    }
    for (const [role, { columns, row }] of last) found.set(role, readMessage(columns, row, []))
    if (wanted.every(({ role }) => found.has(role))) return
  }
}
