/** Reads the rows of a text file as messages. Unreadable lines are reported and skipped. */
import { isUtf8 } from 'node:buffer'
import { KIND, scratch } from '../../../service/codec.ts'
import { inRange } from '../../../service/codecs/times.ts'
import { decode } from '../../../service/codecs/decode.ts'
import { FEEDS } from '../../../service/feeds.ts'
import { csvTickColumns } from '../../../service/tick-columns.ts'
import { isFormula } from '../../../shared/base/csv.ts'
import { missingCase } from '../../../shared/base/errors.ts'
import { parseBoundedJson } from '../../../shared/base/json-depth.ts'
import { FLAG } from '../../../shared/core/recording/recording.ts'
import type { CsvMapping, ImportField, ImportProblem } from '../../../shared/features/import/import.ts'
import { isFeedId, type FeedId } from '../../../shared/base/units.ts'
import { createCsvParser, textOf, type CsvRow } from './csv.ts'
import type { TextKind } from './kinds.ts'
import { messageOf, type Part } from './message.ts'
import { createTimeReader, type TimeReading } from './times.ts'

/** A message to import into a session. */
export interface Incoming {
  readonly feed: FeedId
  /** Its seq in the original session. Null: none. */
  readonly seq: number | null
  readonly recvMs: number
  readonly flags: number
  readonly bytes: Uint8Array
}

export interface Portion {
  readonly messages: readonly Incoming[]
  readonly problems: readonly ImportProblem[]
  /** Bytes of the file read so far. */
  readonly bytes: number
}

const encoder = new TextEncoder()
/** Reads a row as a message, or returns what is wrong with it. */
type ReadRow = (cells: readonly string[]) => Incoming | string | Omit<ImportProblem, 'line'>

/** Yields a file's messages chunk by chunk. Throws `usage` if the file can't be parsed at all. */
export async function* incoming(
  path: string,
  kind: TextKind,
  mapping: CsvMapping | null,
  signal?: AbortSignal,
): AsyncGenerator<Portion, void, void> {
  if (kind.is === 'lines') {
    yield* incomingLines(path, signal)
    return
  }
  const parser = createCsvParser(kind.separator)
  const read = kind.is === 'ticks' ? ownRow(kind.feed, kind.raw) : tableRow(mapping ?? fail())
  let header = kind.is === 'ticks' || kind.header
  const take = (rows: readonly CsvRow[], bytes: number): Portion => {
    const messages: Incoming[] = []
    const problems: ImportProblem[] = []
    for (const { line, cells } of rows) {
      if (header) {
        header = false
        continue
      }
      const one = read(cells)
      if (typeof one === 'string') problems.push({ line, text: one })
      else if ('text' in one) problems.push({ line, ...one })
      else messages.push(one)
    }
    return { messages, problems, bytes }
  }
  let read1 = 0
  for await (const { text, bytes } of textOf(path, signal)) {
    read1 = bytes
    yield take(parser.push(text), bytes)
  }
  yield take(parser.end(), read1)
}

const fail = (): never => {
  throw new TypeError('a table is read by a mapping')
}

/** The flags that the message would have gotten on receipt. Leaves the decoded message in `record`. */
function flagsOf(feed: FeedId, bytes: Uint8Array): number {
  switch (decode(feed, bytes, 0, bytes.length, record)) {
    case 'control':
      return FLAG.control
    case 'undecodable':
      return FLAG.undecodable | (isUtf8(bytes) ? 0 : FLAG.invalidUtf8)
    case 'market':
      return inRange(record.kind === KIND.bar ? record.startMs : record.eventMs) ? 0 : FLAG.undated
  }
}
/** The last record that `flagsOf` decoded. */
const record = scratch()

/** Removes the apostrophe that an export adds so that spreadsheets don't run the text as a formula. */
export function undefused(cell: string): string {
  return cell.startsWith("'") && isFormula(cell.slice(1)) ? cell.slice(1) : cell
}

/** Restores a symbol. Exports defuse symbols after each separator inside them, too (`export/cells.ts`). */
export function undefusedSymbol(cell: string): string {
  if (!cell.includes("'")) return cell
  let text = ''
  // Go backwards: whether an apostrophe was added depends on the restored text after it.
  for (let i = cell.length - 1; i >= 0; i--) {
    const begins = i === 0 || ',;|\t\n\r'.includes(cell[i - 1])
    if (!(begins && cell[i] === "'" && isFormula(text))) text = cell[i] + text
  }
  return text
}

/** Reads rows of our own CSV: the exact message from a `raw` column, else a message rebuilt with the same literals. */
function ownRow(feed: FeedId, raw: boolean): ReadRow {
  const columns = csvTickColumns(feed, raw)
  const { fields } = FEEDS[feed]
  const parts = new Map(Object.entries<string>({ ...fields }).map(([part, key]) => [key, part as Part]))
  return (cells) => {
    if (cells.length !== columns.length) return `has ${cells.length} columns instead of ${columns.length}`
    const [named, symbolCell, eventMs, , recvMs, , seqText] = cells
    if (!isFeedId(named)) return `unknown feed "${named.slice(0, 40)}"`
    const recv = Number(recvMs)
    const seq = Number(seqText)
    if (recvMs === '' || !inRange(recv)) return `its recv_ms "${recvMs.slice(0, 40)}" isn’t a time`
    if (seqText === '' || !Number.isSafeInteger(seq) || seq < 1)
      return `its seq "${seqText.slice(0, 40)}" isn’t a sequence number`
    const symbol = undefusedSymbol(symbolCell)
    let bytes: Uint8Array
    if (raw) bytes = encoder.encode(undefused(cells[columns.length - 1]))
    else {
      const texts: Partial<Record<Part, string>> = { symbol, ...(fields.time === undefined ? {} : { time: eventMs }) }
      for (let i = FIRST_FIELD; i < columns.length; i++) {
        const part = parts.get(columns[i])
        if (part !== undefined) texts[part] = cells[i]
      }
      bytes = encoder.encode(messageOf(named, texts))
    }
    const flags = flagsOf(named, bytes)
    // A message without a record has no symbol to compare; its column comes from the store.
    if ((flags & (FLAG.control | FLAG.undecodable)) === 0 && record.symbol !== '' && record.symbol !== symbol) {
      return `its message has the symbol "${record.symbol.slice(0, 40)}", its column "${symbol.slice(0, 40)}"`
    }
    return { feed: named, seq, recvMs: recv, flags, bytes }
  }
}

const FIRST_FIELD = 7

const PARTS: Readonly<Partial<Record<ImportField, Part>>> = {
  price: 'price',
  size: 'size',
  bid: 'bid',
  ask: 'ask',
  bidSize: 'bidSize',
  askSize: 'askSize',
  open: 'open',
  high: 'high',
  low: 'low',
  close: 'close',
  volume: 'volume',
}

/** Describes why a time can't be used. */
function timeProblem(reading: Exclude<TimeReading, number>, text: string, zone: string): Omit<ImportProblem, 'line'> {
  const shown = text.trim().slice(0, 40)
  switch (reading) {
    case 'none':
      return { text: `"${shown}" isn’t a time` }
    case 'skipped':
      return { text: `"${shown}" never occurred in ${zone}: clocks were set forward` }
    case 'repeated':
      return { text: `"${shown}" occurred twice in ${zone}: clocks were set back`, refuses: true }
    default:
      return missingCase(reading)
  }
}

/** Reads rows of any table by its mapping. */
function tableRow({ columns, feed, zone, symbol: only, dateFormat, repeated }: CsvMapping): ReadRow {
  const timeOf = createTimeReader({ zone: zone === '' ? 'UTC' : zone, dateFormat, repeated })
  const at = (field: ImportField): number => columns.indexOf(field)
  const [timeAt, recvAt, symbolAt, endAt, rawAt] = [at('time'), at('received'), at('symbol'), at('end'), at('raw')]
  const bar = FEEDS[feed].kind === 'bar'
  const numbers = columns.flatMap((field, i) => {
    const part = field === null ? undefined : PARTS[field]
    return part === undefined ? [] : [[i, part] as const]
  })
  const least = Math.max(...columns.map((field, i) => (field === null ? 0 : i + 1)))
  return (cells) => {
    if (cells.length < least) return `has ${cells.length} columns instead of ${least}`
    const timeText = timeAt < 0 ? '' : cells[timeAt]
    const recvText = recvAt < 0 ? '' : cells[recvAt]
    if (timeText === '' && recvText === '') return 'it has no time'
    const event = timeText === '' ? NaN : timeOf(timeText)
    if (typeof event === 'string') return timeProblem(event, timeText, zone)
    const recv = recvText === '' ? event : timeOf(recvText)
    if (typeof recv === 'string') return timeProblem(recv, recvText, zone)
    if (rawAt >= 0) {
      const bytes = encoder.encode(undefused(cells[rawAt]))
      return { feed, seq: null, recvMs: recv, flags: flagsOf(feed, bytes), bytes }
    }
    const symbol = (symbolAt < 0 ? only : undefusedSymbol(cells[symbolAt])).trim()
    const texts: Partial<Record<Part, string>> = { symbol }
    texts[bar ? 'start' : 'time'] = String(event)
    for (const [i, part] of numbers) {
      const text = cells[i].trim()
      if (text === '') continue
      if (!Number.isFinite(Number(text)) || !/\d/.test(text)) return `its ${part} "${text.slice(0, 40)}" isn’t a number`
      texts[part] = text.replace(/^\+/, '')
    }
    if (bar) {
      const endText = endAt < 0 ? '' : cells[endAt].trim()
      const end = endText === '' ? 'none' : timeOf(endText)
      if (end === 'skipped' || end === 'repeated') return timeProblem(end, endText, zone)
      const length = FEEDS[feed].barMs
      if (end !== 'none') texts.end = String(end)
      else if (length !== null) texts.end = String(event + length)
    }
    const bytes = encoder.encode(messageOf(feed, texts))
    const flags = flagsOf(feed, bytes)
    if (flags !== 0 || record.kind === KIND.unknown) {
      return `it isn’t a valid ${FEEDS[feed].kind}${record.why === '' ? '' : `: ${record.why}`}`
    }
    return { feed, seq: null, recvMs: recv, flags, bytes }
  }
}

/** Maximum length of a JSON line, in characters. */
const LONGEST_LINE = 64 << 20

async function* incomingLines(path: string, signal?: AbortSignal): AsyncGenerator<Portion, void, void> {
  let rest = ''
  let line = 0
  const take = (lines: readonly string[], bytes: number): Portion => {
    const messages: Incoming[] = []
    const problems: ImportProblem[] = []
    for (const text of lines) {
      line++
      if (text.trim() === '') continue
      const one = ownLine(text)
      if (typeof one === 'string') problems.push({ line, text: one })
      else messages.push(one)
    }
    return { messages, problems, bytes }
  }
  let seen = 0
  for await (const { text, bytes } of textOf(path, signal)) {
    seen = bytes
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LONGEST_LINE) rest = rest.slice(0, LONGEST_LINE) // truncated, so it will be reported as invalid JSON
    yield take(lines, bytes)
  }
  if (rest !== '') yield take([rest], seen)
}

/** Reads a line of our own JSON Lines. Returns what is wrong with it if it can't. */
function ownLine(text: string): Incoming | string {
  let value: unknown
  try {
    value = parseBoundedJson(text)
  } catch {
    return 'it isn’t JSON'
  }
  if (typeof value !== 'object' || value === null) return 'it isn’t a JSON object'
  const { feed, recv_ms: recvMs, seq, raw, raw_base64: base64 } = value as Record<string, unknown> // checked below
  if (typeof feed !== 'string' || !isFeedId(feed)) return 'it names no known feed'
  if (typeof recvMs !== 'number' || !inRange(recvMs)) return 'its recv_ms isn’t a time'
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return 'its seq isn’t a sequence number'
  const bytes =
    typeof raw === 'string'
      ? encoder.encode(raw)
      : typeof base64 === 'string'
        ? new Uint8Array(Buffer.from(base64, 'base64'))
        : undefined
  if (bytes === undefined) return 'it has no message'
  return { feed, seq, recvMs, flags: flagsOf(feed, bytes), bytes }
}
