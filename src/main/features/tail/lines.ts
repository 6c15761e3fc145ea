/** Decoded messages as lines of text, JSON or CSV, with the columns of an export of schema 2. */
import { KIND, type Scratch } from '../../../service/codec.ts'
import { csvTickColumns, tickFields, type TickField } from '../../../service/tick-columns.ts'
import { csvText } from '../../../shared/base/csv.ts'
import type { FeedId } from '../../../shared/base/units.ts'

export type TailFormat = 'text' | 'json' | 'csv'

/** One message as a line with its line feed. `seq`: null if it isn't recorded. `recvMs`: UTC ms. */
export type WriteLine = (feed: FeedId, seq: number | null, recvMs: number, record: Scratch) => string

const VALUES: Readonly<Record<TickField['part'], (record: Scratch) => number>> = {
  price: (record) => record.price,
  size: (record) => record.size,
  bid: (record) => record.bid,
  ask: (record) => record.ask,
  bidSize: (record) => record.bidSize,
  askSize: (record) => record.askSize,
  open: (record) => record.open,
  high: (record) => record.high,
  low: (record) => record.low,
  close: (record) => record.close,
  volume: (record) => record.volume,
  start: (record) => record.startMs,
  end: (record) => record.endMs,
}

/** UTC ms of the event as exports have it: of bars, their start. NaN: none. */
const eventOf = (record: Scratch): number => (record.kind === KIND.bar ? record.startMs : record.eventMs)

const MILLISECONDS = Array.from({ length: 1_000 }, (_, ms) => String(ms).padStart(3, '0'))

/** Writes instants that mostly are in the second of the one before, UTC ms. */
class InstantText {
  #second = NaN
  /** The second since 1970 as digits, and as ISO 8601 up to the decimal point. */
  #digits = ''
  #iso = ''

  /** ISO 8601 with milliseconds, rounded down. Throws RangeError for what Date doesn't take. */
  iso(ms: number): string {
    const whole = Math.floor(ms)
    this.#find(whole)
    return `${this.#iso}${MILLISECONDS[whole - this.#second * 1_000]}Z`
  }

  /** The number as JavaScript writes it. */
  number(ms: number): string {
    const whole = Math.floor(ms)
    if (whole !== ms || !(ms >= 1_000)) return String(ms)
    this.#find(whole)
    return this.#digits + MILLISECONDS[whole - this.#second * 1_000]
  }

  #find(whole: number): void {
    const second = Math.floor(whole / 1_000)
    if (second === this.#second) return
    this.#iso = new Date(whole).toISOString().slice(0, -4)
    this.#digits = String(second)
    this.#second = second
  }
}

/** Events and receipts are in different seconds at times. */
const events = new InstantText()
const receipts = new InstantText()

/** An instant, UTC ms, as ISO 8601 with milliseconds, rounded down. Throws RangeError for what Date doesn't take. */
export const isoOf = (ms: number): string => receipts.iso(ms)

/** Returns the writer of lines in a format. */
export function createLines(format: TailFormat): WriteLine {
  switch (format) {
    case 'json':
      return jsonLine()
    case 'csv':
      return csvLine
    case 'text':
      return textLine
  }
}

/** The first line, with its line feed: of CSV the header of the only feed, otherwise nothing. */
export const headLine = (format: TailFormat, feed: FeedId | undefined): string =>
  format === 'csv' && feed !== undefined ? `${csvTickColumns(feed, false, 2).join(',')}\n` : ''

/** Fields of a feed, looked up once. */
const FIELDS = new Map<FeedId, readonly TickField[]>()
function fieldsOf(feed: FeedId): readonly TickField[] {
  let fields = FIELDS.get(feed)
  if (fields === undefined) FIELDS.set(feed, (fields = tickFields(feed, 2)))
  return fields
}

const MAX_HEADS = 20_000

type WriteJson = (seq: number | null, recvMs: number, record: Scratch) => string

function jsonLine(): WriteLine {
  const writers = new Map<FeedId, WriteJson>()
  return (feed, seq, recvMs, record) => {
    let write = writers.get(feed)
    if (write === undefined) writers.set(feed, (write = jsonLineOf(feed)))
    return write(seq, recvMs, record)
  }
}

function jsonLineOf(feed: FeedId): WriteJson {
  const fields = fieldsOf(feed).map(({ name, part }) => ({ before: `,"${name}":`, value: VALUES[part] }))
  const heads = new Map<string, string>()
  const headOf = (symbol: string): string => {
    let head = heads.get(symbol)
    if (head === undefined) {
      if (heads.size >= MAX_HEADS) heads.clear()
      heads.set(symbol, (head = `{"feed":${JSON.stringify(feed)},"symbol":${JSON.stringify(symbol)},"event_time":`))
    }
    return head
  }
  return (seq, recvMs, record) => {
    const event = eventOf(record)
    const dated = !Number.isNaN(event)
    let line = headOf(record.symbol)
    line += dated ? `"${events.iso(event)}"` : 'null'
    line += `,"recv_time":"${receipts.iso(recvMs)}","event_ms":${dated ? events.number(event) : 'null'}`
    line += `,"recv_ms":${receipts.number(recvMs)},"seq":${seq ?? 'null'}`
    for (const { before, value } of fields) {
      const number = value(record)
      line += Number.isNaN(number) ? `${before}null` : before + number
    }
    return `${line}}\n`
  }
}

const csvLine: WriteLine = (feed, seq, recvMs, record) => {
  const event = eventOf(record)
  const dated = !Number.isNaN(event)
  let line = `${feed},${csvText(record.symbol)},${dated ? events.iso(event) : ''},${receipts.iso(recvMs)},`
  line += `${dated ? events.number(event) : ''},${receipts.number(recvMs)},${seq ?? ''}`
  for (const { part } of fieldsOf(feed)) {
    const value = VALUES[part](record)
    line += Number.isNaN(value) ? ',' : `,${value}`
  }
  return `${line}\n`
}

const textLine: WriteLine = (feed, _seq, recvMs, record) => {
  const event = eventOf(record)
  const at = isoOf(Number.isNaN(event) ? recvMs : event)
  const values = fieldsOf(feed)
    .filter(({ isTime }) => !isTime)
    .map(({ name, part }) => [name, VALUES[part](record)] as const)
    .filter(([, value]) => !Number.isNaN(value))
    .map(([name, value]) => `${name} ${value}`)
  // Control characters of a symbol must not move the cursor of a terminal.
  return `${at}  ${feed}  ${printable(record.symbol)}  ${values.join('  ')}\n`
}

const printable = (text: string): string => text.replace(/\p{C}/gu, '?')
