/** Reads the rows of a text file as messages. Unreadable lines are reported and skipped. */
import { KIND } from '../../../service/codec.ts'
import { FEEDS } from '../../../service/feeds.ts'
import { isSymbol, LONGEST_SYMBOL } from '../../../service/intern.ts'
import type { CsvMapping, ImportField, ImportProblem } from '../../../shared/features/import/import.ts'
import { createCsvParser, textOf, tooLong, type CsvRow } from './csv.ts'
import { parquetRows } from './parquet.ts'
import type { Separator } from '../../../shared/features/export/export.ts'
import type { TextKind } from './kinds.ts'
import { messageOf, type Incoming, type Part } from './message.ts'
import { ownLine, ownRow, undefused, undefusedSymbol } from './own-rows.ts'
import { flagsOf, record } from './receipt-flags.ts'
import { createTimeReader, type TimeReading } from './times.ts'

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
  const read = kind.is === 'ticks' ? ownRow(kind) : tableRow(mapping ?? fail(), kind.separator === null)
  let header = kind.separator !== null && (kind.is === 'ticks' || kind.header)
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
  const tables = kind.separator === null ? parquetRows(path, signal) : csvRows(path, kind.separator, signal)
  for await (const { rows, bytes } of tables) yield take(rows, bytes)
}

async function* csvRows(
  path: string,
  separator: Separator,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly rows: readonly CsvRow[]; readonly bytes: number }, void, void> {
  const parser = createCsvParser(separator)
  let seen = 0
  for await (const { text, bytes } of textOf(path, signal)) {
    seen = bytes
    yield { rows: parser.push(text), bytes }
  }
  yield { rows: parser.end(), bytes: seen }
}

const fail = (): never => {
  throw new TypeError('a table is read by a mapping')
}

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

const PRICES = new Set<Part>(['price', 'bid', 'ask', 'open', 'high', 'low', 'close'])
/** Databento's largest integer stands for an absent price. */
const NO_PRICE = '9223372036854775807'

/** A price in billionths as decimals; any other text as it is. */
function fixedPrice(text: string): string {
  if (text === NO_PRICE) return ''
  const [, sign, digits] = /^(-?)(\d+)$/.exec(text) ?? []
  if (digits === undefined) return text
  const padded = digits.padStart(10, '0')
  return `${sign}${padded.slice(0, -9)}.${padded.slice(-9)}`
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
  }
}

function symbolProblem(symbol: string): string {
  if (symbol === '') return 'it has no symbol'
  return symbol.length > LONGEST_SYMBOL
    ? `its symbol "${symbol.slice(0, 20)}…" is longer than ${LONGEST_SYMBOL} characters`
    : 'its symbol contains a control character or half of a character'
}

/**
 * Reads rows of any table by its mapping. Corrections are those of the consolidated tape: 0 is a regular trade, and 1 one whose
 * record has its own time and the corrected data. 7 and 8 became errors or were canceled; 10 to 12 repeat a trade to say so.
 */
function tableRow(
  { columns, feed, zone, symbol: only, dateFormat, repeated, fixedPrices }: CsvMapping,
  isPlain: boolean,
): ReadRow {
  const timeOf = createTimeReader({ zone: zone === '' ? 'UTC' : zone, dateFormat, repeated })
  const at = (field: ImportField): number => columns.indexOf(field)
  const [timeAt, recvAt, symbolAt, endAt, rawAt] = [at('time'), at('received'), at('symbol'), at('end'), at('raw')]
  const correctionAt = at('correction')
  const bar = FEEDS[feed].kind === 'bar'
  const numbers = columns.flatMap((field, i) => {
    const part = field === null ? undefined : PARTS[field]
    return part === undefined ? [] : [[i, part] as const]
  })
  const least = Math.max(...columns.map((field, i) => (field === null ? 0 : i + 1)))
  return (cells) => {
    if (cells.length < least) return `has ${cells.length} columns instead of ${least}`
    const correction = correctionAt < 0 ? '' : cells[correctionAt].trim()
    if (/^\d+$/.test(correction) && Number(correction) > 1)
      return `it is canceled, or cancels or corrects another trade (correction ${correction.slice(0, 40)})`
    const timeText = timeAt < 0 ? '' : cells[timeAt]
    const recvText = recvAt < 0 ? '' : cells[recvAt]
    if (timeText === '' && recvText === '') return 'it has no time'
    const event = timeText === '' ? NaN : timeOf(timeText)
    if (typeof event === 'string') return timeProblem(event, timeText, zone)
    let recv = recvText === '' ? event : timeOf(recvText)
    if (typeof recv === 'string') return timeProblem(recv, recvText, zone)
    if (rawAt >= 0) {
      const bytes = encoder.encode(isPlain ? cells[rawAt] : undefused(cells[rawAt]))
      return { feed, seq: null, recvMs: recv, flags: flagsOf(feed, bytes), bytes }
    }
    const symbol = (symbolAt < 0 ? only : isPlain ? cells[symbolAt] : undefusedSymbol(cells[symbolAt])).trim()
    if (!isSymbol(symbol)) return symbolProblem(symbol)
    const texts: Partial<Record<Part, string>> = { symbol }
    texts[bar ? 'start' : 'time'] = String(event)
    for (const [i, part] of numbers) {
      const text = fixedPrices === true && PRICES.has(part) ? fixedPrice(cells[i].trim()) : cells[i].trim()
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
      // A bar is known when it ends: received at its start, it would look ahead.
      if (recvText === '') recv = Number(texts.end ?? event)
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
  /** The pieces of the line that hasn't ended. Joined once it ends: its pieces can be thousands. */
  let parts: string[] = []
  let length = 0
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
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    if (lines.length > 0) {
      lines[0] = parts.join('') + lines[0]
      parts = []
      length = 0
    }
    parts.push(rest)
    length += rest.length
    yield take(lines, bytes)
    if (length > LONGEST_LINE) throw tooLong(line + 1)
  }
  const rest = parts.join('')
  if (rest !== '') yield take([rest], seen)
}
