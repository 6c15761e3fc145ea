/**
 * Ticks out of the store into a file, straight from columns: bytes are written, no string or object
 * is made a row. The same rows give the same bytes from the window and from the command line.
 */
import { isUtf8 } from 'node:buffer'
import { FEEDS } from '../../service/feeds.ts'
import { CodedError } from '../../shared/errors.ts'
import { FLAG } from '../../shared/recording.ts'
import { instrumentId, type FeedId, type RecordingId } from '../../shared/units.ts'
import type { LiteralWriter, StoreReader, TickColumns } from '../store/port.ts'
import { createTimeWriter, textRoom, TIME_ROOM, writeText, writeWhole, type TimeWriter } from './cells.ts'
import { manifestText } from './manifest.ts'
import {
  chooseSource,
  gapsOf,
  stopIfCancelled,
  type CommonOptions,
  type ExportFormat,
  type ExportResult,
} from './options.ts'
import { createSafeFile, type SafeFile } from './sink.ts'

export interface TickExportOptions extends CommonOptions {
  readonly feed: FeedId
  /** In any spelling of the same instrument; none: every symbol. */
  readonly symbols?: readonly string[] | undefined
  readonly format: ExportFormat
  /** Adds the message exactly as it arrived (CSV; JSON Lines always has it). */
  readonly raw?: boolean | undefined
}

/**
 * A CSV file holds the market's records that were asked for, the ones that bars are made of. JSON
 * Lines hold every message of the range as it arrived.
 */
const LEFT_OUT_OF_CSV = FLAG.control | FLAG.undecodable | FLAG.unasked

/** The columns of a feed's own numbers, in the order of its table row. */
export function fieldsOf(feed: FeedId): readonly string[] {
  const { fields } = FEEDS[feed]
  return Object.entries<string>({ ...fields })
    .filter(([part]) => part !== 'symbol' && part !== 'time')
    .map(([, key]) => key)
}

/** Header cells of a tick export. */
export function tickColumns(feed: FeedId, format: ExportFormat, raw: boolean): readonly string[] {
  if (format === 'jsonl') return ['feed', 'symbol', 'recv_ms', 'seq', 'raw']
  const fixed = ['feed', 'symbol', 'event_ms', 'event_iso', 'recv_ms', 'recv_iso', 'seq']
  return [...fixed, ...fieldsOf(feed), ...(raw ? ['raw'] : [])]
}

/**
 * Exports the ticks of one feed and one source in the order (recording, seq), with a manifest beside.
 * Throws CodedError: `not-found`, `ambiguous-source`, `cancelled`, `disk-full`, `disk-error`, `usage`.
 * Whatever fails, no file is left under the final name that was not there before.
 */
export async function exportTicks(reader: StoreReader, options: TickExportOptions): Promise<ExportResult> {
  const { feed, format, signal } = options
  stopIfCancelled(signal)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  const columns = tickColumns(feed, format, options.raw ?? false)
  const file = await createSafeFile(options.out)
  let note: SafeFile | undefined
  try {
    const separator = options.separator ?? ','
    if (options.bom === true) file.text('\ufeff')
    if (format === 'csv') file.text(`${columns.join(separator)}\n`)
    const span: Span = { first: Infinity, last: -Infinity }
    const rowsOf =
      format === 'csv' ? createCsvRows(feed, separator, options.raw ?? false, span) : createJsonRows(feed, span)
    const order = createOrder()
    let rows = 0
    for await (const ticks of reader.ticks({
      feed,
      instruments: options.symbols?.map((symbol) => instrumentId(FEEDS[feed].asset, symbol)) ?? null,
      recording: options.session,
      source: chosen.source,
      fromMs: options.fromMs,
      toMs: options.toMs,
    })) {
      stopIfCancelled(signal)
      if (ticks.count === 0) continue
      order.check(ticks)
      const write = rowsOf(ticks, file)
      for (let from = 0; from < ticks.count; from += ROWS_AT_ONCE) {
        const to = Math.min(from + ROWS_AT_ONCE, ticks.count)
        rows += write(from, to)
        await file.drain()
        stopIfCancelled(signal)
      }
      options.onProgress?.({ rows, bytes: file.written + file.at })
    }
    const sha256 = await file.finish()
    const fromMs = options.fromMs ?? (rows === 0 ? null : span.first)
    const toMs = options.toMs ?? (rows === 0 ? null : Math.floor(span.last) + 1)
    const gaps = await gapsOf(reader, feed, chosen, options)
    const recordings = order.sessions()
    const manifest = `${options.out}.manifest.json`
    note = await createSafeFile(manifest)
    note.text(
      manifestText({
        schema: 'tapedeck/ticks/1',
        columns,
        chosen,
        sessions: recordings,
        fromMs,
        toMs,
        rows,
        sha256,
        gaps,
        ledgerHead: await reader.ledgerHead(recordings),
      }),
    )
    await note.finish()
    stopIfCancelled(signal)
    await file.commit()
    await note.commit()
    return { rows, bytes: file.written, sha256, manifest }
  } finally {
    await file.discard()
    await note?.discard()
  }
}

const ROWS_AT_ONCE = 4096

/** Holds the reader to the promised order: recordings one after the other, seqs growing within each. */
function createOrder() {
  const seen = new Set<RecordingId>()
  let recording: RecordingId | undefined
  let seq = -1
  return {
    check(ticks: TickColumns): void {
      if (ticks.recording !== recording) {
        if (seen.has(ticks.recording)) throw new CodedError('internal', 'The store read its recordings out of order.')
        recording = ticks.recording
        seen.add(recording)
        seq = -1
      }
      for (let i = 0; i < ticks.count; i++) {
        const next = ticks.seq[i]
        if (!(next > seq)) throw new CodedError('internal', 'The store read its messages out of order.')
        seq = next
      }
    },
    sessions: (): readonly RecordingId[] => [...seen],
  }
}

/** Least and greatest time written: event time, of undated rows the time of receipt. */
interface Span {
  first: number
  last: number
}

function widen(span: Span, event: number, recv: number): void {
  const at = Number.isNaN(event) ? recv : event
  if (at < span.first) span.first = at
  if (at > span.last) span.last = at
}

/** Writes rows [from, to) but those left out; answers how many were written. */
type WriteRows = (from: number, to: number) => number

/** Flags of messages that may be no UTF-8. */
const UNSURE = FLAG.invalidUtf8 | FLAG.binary

/** A CSV file is UTF-8: bytes that are none become U+FFFD there (JSON Lines keep them). */
function utf8Of(text: Uint8Array, flags: number): Uint8Array {
  return (flags & UNSURE) === 0 || isUtf8(text) ? text : encoder.encode(new TextDecoder().decode(text))
}
const encoder = new TextEncoder()

/** Remembers the bytes of the symbol seen last. */
function createSymbolCell(render: (symbol: string) => Uint8Array): (symbol: string) => Uint8Array {
  let last: string | undefined
  let bytes = new Uint8Array(0)
  return (symbol) => {
    if (symbol !== last) {
      last = symbol
      bytes = Uint8Array.from(render(symbol))
    }
    return bytes
  }
}

function createCsvRows(
  feed: FeedId,
  separatorText: string,
  raw: boolean,
  span: Span,
): (ticks: TickColumns, file: SafeFile) => WriteRows {
  const separator = separatorText.charCodeAt(0)
  const fields = fieldsOf(feed)
  const event: TimeWriter = createTimeWriter(separator)
  const recv: TimeWriter = createTimeWriter(separator)
  // feed and symbol stand together before the first time of every row
  const headOf = createSymbolCell((symbol) => {
    const text = encoder.encode(symbol)
    const out = new Uint8Array(textRoom(text) + feed.length + 2)
    let at = encoder.encodeInto(feed, out).written
    out[at++] = separator
    at = writeText(out, at, text, separator)
    out[at++] = separator
    return out.subarray(0, at)
  })
  let lead: Uint8Array | undefined
  return (ticks, file) => {
    const { eventMs, recvMs, seq, flags } = ticks
    const writers: readonly LiteralWriter[] = fields.map((key) => ticks.writer(key))
    const count = writers.length
    let most = 2 * TIME_ROOM + 24
    for (const writer of writers) most += writer.most + 1
    return (from, to) => {
      file.room(64 * most)
      let out = file.bytes
      let view = new DataView(out.buffer)
      let at = file.at
      let rows = 0
      for (let row = from; row < to; row++) {
        if ((flags[row] & LEFT_OUT_OF_CSV) !== 0) continue
        const head = headOf(ticks.symbol(row))
        const text = raw ? utf8Of(ticks.raw(row), flags[row]) : undefined
        const need = most + head.length + (text === undefined ? 0 : textRoom(text) + 1)
        if (at + need > out.length) {
          file.at = at
          file.room(need)
          out = file.bytes
          view = new DataView(out.buffer)
        }
        if (head !== lead) event.lead((lead = head))
        const eventAt = eventMs[row]
        const recvAt = recvMs[row]
        widen(span, eventAt, recvAt)
        at = event.write(out, view, at, eventAt)
        out[at++] = separator
        at = recv.write(out, view, at, recvAt)
        out[at++] = separator
        at = writeWhole(out, at, seq[row])
        for (let i = 0; i < count; i++) {
          out[at++] = separator
          at = writers[i].write(row, out, at)
        }
        if (text !== undefined) {
          out[at++] = separator
          at = writeText(out, at, text, separator)
        }
        out[at++] = 10
        rows++
      }
      file.at = at
      return rows
    }
  }
}

const HEX = encoder.encode('0123456789abcdef')

/** `{feed,symbol,recv_ms,seq,raw}` a line; `raw_base64` where the message is no UTF-8. */
function createJsonRows(feed: FeedId, span: Span): (ticks: TickColumns, file: SafeFile) => WriteRows {
  const headOf = createSymbolCell((symbol) =>
    encoder.encode(`{"feed":${JSON.stringify(feed)},"symbol":${JSON.stringify(symbol)},"recv_ms":`),
  )
  const seqKey = encoder.encode(',"seq":')
  const rawKey = encoder.encode(',"raw":"')
  return (ticks, file) => {
    const { eventMs, recvMs, seq, flags } = ticks
    const write = (row: number): void => {
      const head = headOf(ticks.symbol(row))
      const text = ticks.raw(row)
      file.room(head.length + 6 * text.length + 96)
      const out = file.bytes
      out.set(head, file.at)
      let at = file.at + head.length
      const recv = recvMs[row]
      widen(span, eventMs[row], recv)
      if (recv >= 0 && Number.isInteger(recv)) at = writeWhole(out, at, recv)
      else at += encoder.encodeInto(JSON.stringify(recv), out.subarray(at)).written
      out.set(seqKey, at)
      at = writeWhole(out, at + seqKey.length, seq[row])
      if ((flags[row] & UNSURE) !== 0 && !isUtf8(text)) {
        const base64 = Buffer.from(text.buffer, text.byteOffset, text.length).toString('base64')
        at += encoder.encodeInto(`,"raw_base64":"${base64}"}\n`, out.subarray(at)).written
      } else {
        out.set(rawKey, at)
        at = writeJsonText(out, at + rawKey.length, text)
        out[at++] = 34
        out[at++] = 125
        out[at++] = 10
      }
      file.at = at
    }
    return (from, to) => {
      for (let row = from; row < to; row++) write(row)
      return to - from
    }
  }
}

/** UTF-8 as the inside of a JSON string. */
function writeJsonText(out: Uint8Array, at: number, text: Uint8Array): number {
  let i = at
  for (const c of text) {
    if (c === 34 || c === 92) {
      out[i++] = 92
      out[i++] = c
    } else if (c < 32) {
      out[i++] = 92
      out[i++] = 117
      out[i++] = 48
      out[i++] = 48
      out[i++] = HEX[c >> 4]!
      out[i++] = HEX[c & 15]!
    } else out[i++] = c
  }
  return i
}
