/** Reads rows of files that Tapedeck exported: the original message, or one rebuilt with the same digits. */
import { FEEDS } from '../../../service/feeds.ts'
import { inRange } from '../../../service/codecs/times.ts'
import { csvTickColumns, tickFields, type TickSchema } from '../../../service/tick-columns.ts'
import { isFormula } from '../../../shared/base/csv.ts'
import { parseBoundedJson } from '../../../shared/base/json-depth.ts'
import { FLAG } from '../../../shared/core/recording/session.ts'
import { isFeedId, type FeedId } from '../../../shared/base/units.ts'
import { messageOf, type Incoming, type Part } from './message.ts'
import { flagsOf, record } from './receipt-flags.ts'

const encoder = new TextEncoder()

/** A CSV of one feed's ticks, as exported. */
export interface OwnTable {
  readonly feed: FeedId
  readonly raw: boolean
  readonly schema: TickSchema
  /** Texts are as they are, without apostrophes against formulas. */
  readonly isPlain?: boolean | undefined
}

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
export function ownRow({
  feed,
  raw,
  schema,
  isPlain = false,
}: OwnTable): (cells: readonly string[]) => Incoming | string {
  const columns = csvTickColumns(feed, raw, schema)
  const { fields } = FEEDS[feed]
  const parts = tickFields(feed, schema).map(({ name, part }) => ({ part, at: columns.indexOf(name) }))
  const [eventAt, recvAt, seqAt] = ['event_ms', 'recv_ms', 'seq'].map((name) => columns.indexOf(name))
  return (cells) => {
    if (cells.length !== columns.length) return `has ${cells.length} columns instead of ${columns.length}`
    const [named, symbolCell] = cells
    const [eventMs, recvMs, seqText] = [cells[eventAt], cells[recvAt], cells[seqAt]]
    if (!isFeedId(named)) return `unknown feed "${named.slice(0, 40)}"`
    const recv = Number(recvMs)
    const seq = Number(seqText)
    if (recvMs === '' || !inRange(recv)) return `its recv_ms "${recvMs.slice(0, 40)}" isn’t a time`
    if (seqText === '' || !Number.isSafeInteger(seq) || seq < 1)
      return `its seq "${seqText.slice(0, 40)}" isn’t a sequence number`
    const symbol = isPlain ? symbolCell : undefusedSymbol(symbolCell)
    let bytes: Uint8Array
    if (raw) bytes = encoder.encode(isPlain ? cells[columns.length - 1] : undefused(cells[columns.length - 1]))
    else {
      const texts: Partial<Record<Part, string>> = { symbol, ...(fields.time === undefined ? {} : { time: eventMs }) }
      for (const { part, at } of parts) texts[part] = cells[at]
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

/** Reads a line of our own JSON Lines. Returns what is wrong with it if it can't. */
export function ownLine(text: string): Incoming | string {
  let value: unknown
  try {
    value = parseBoundedJson(text)
  } catch {
    return 'it isn’t JSON'
  }
  if (typeof value !== 'object' || value === null) return 'it isn’t a JSON object'
  const line = value as Record<string, unknown> // checked below
  const { feed, recv_ms: recvMs, seq, raw, raw_base64: base64 } = line
  if (typeof feed !== 'string' || !isFeedId(feed)) return 'it names no known feed'
  if (typeof recvMs !== 'number' || !inRange(recvMs)) return 'its recv_ms isn’t a time'
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return 'its seq isn’t a sequence number'
  const bytes =
    typeof raw === 'string'
      ? encoder.encode(raw)
      : typeof base64 === 'string'
        ? new Uint8Array(Buffer.from(base64, 'base64'))
        : decodedMessage(feed, text, line)
  if (bytes === undefined) return 'it has no message'
  return { feed, seq, recvMs, flags: flagsOf(feed, bytes), bytes }
}

/** The message of a decoded line; undefined if it has none of the feed's columns. */
function decodedMessage(feed: FeedId, text: string, line: Readonly<Record<string, unknown>>): Uint8Array | undefined {
  const fields = tickFields(feed, 2)
  if (typeof line.symbol !== 'string' || !fields.some(({ name }) => typeof line[name] === 'number')) return undefined
  const digits = numberTexts(text)
  const parts: Partial<Record<Part, string>> = { symbol: line.symbol }
  if (FEEDS[feed].fields.time !== undefined) parts.time = digits.get('event_ms') ?? ''
  for (const { name, part } of fields) parts[part] = digits.get(name) ?? ''
  return encoder.encode(messageOf(feed, parts))
}

/** The numbers of a JSON object as written, by key: `1.50` stays `1.50`. */
function numberTexts(json: string): Map<string, string> {
  const found = new Map<string, string>()
  JSON.parse(json, (key, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === 'number' && context?.source !== undefined) found.set(key, context.source)
    return value
  })
  return found
}
