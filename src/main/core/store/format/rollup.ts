/**
 * Rollup rows: one hour of one-minute bars of a series, as columns per kind of record. A column holds integers of one
 * power of ten if that restores every double exactly, else plain doubles. The whole is compressed with zstd, which
 * benefits from the similarity of bid, ask and mid.
 */
import { constants } from 'node:zlib'
import { HOUR_MS } from '../../../../shared/base/durations.ts'
import { zstdCompressSync, zstdDecompressSync } from '../../../base/zstd.ts'
import { mergeState, type BarState } from '../../../../shared/core/market/bars.ts'
import { BAR_SOURCES, type BarSource } from '../../../../shared/core/market/market.ts'
import { ByteReader, ByteWriter, corruptBlock } from '../blocks/bytes.ts'
import { rowChecksum, equalBytes } from './ledger.ts'

/** Bars by kind of record and start. */
export type HourBars = Map<BarSource, Map<number, BarState>>

const MAX_DECIMALS = 9
const MAX_BYTES = 1 << 22

/** Merges a part of a bar into its hour. For service bars the later message wins. */
export function mergeBar(into: HourBars, of: BarSource, part: BarState): void {
  let bars = into.get(of)
  if (bars === undefined) into.set(of, (bars = new Map<number, BarState>()))
  const old = bars.get(part.startMs)
  if (old === undefined) bars.set(part.startMs, { ...part })
  else if (of !== 'service') mergeState(old, part)
  else if (part.lastSeq >= old.lastSeq) bars.set(part.startMs, { ...part, endMs: old.endMs })
}

/** Encodes an hour of bars. `hourMs`: its start, UTC ms. */
export function encodeHour(hourMs: number, hour: HourBars): Uint8Array {
  const out = new ByteWriter(4096)
  const kinds = [...hour].filter(([, bars]) => bars.size > 0)
  out.varint(kinds.length)
  for (const [of, map] of kinds) {
    const bars = [...map.values()].sort((a, b) => a.startMs - b.startMs)
    const column = (value: (bar: BarState, i: number) => number, base: (bar: BarState, i: number) => number) =>
      writeColumn(out, bars.map(value), bars.map(base))
    const before = (i: number): BarState | undefined => bars[i - 1]
    out.byte(BAR_SOURCES.indexOf(of))
    out.varint(bars.length)
    column(
      (b) => b.startMs,
      (_, i) => before(i)?.startMs ?? hourMs,
    )
    column(
      (b) => b.endMs,
      (b) => b.startMs,
    )
    column(
      (b) => b.open,
      (_, i) => before(i)?.close ?? 0,
    )
    column(
      (b) => b.high,
      (b) => b.open,
    )
    column(
      (b) => b.low,
      (b) => b.open,
    )
    column(
      (b) => b.close,
      (b) => b.open,
    )
    column(
      (b) => b.volume,
      () => 0,
    )
    column(
      (b) => b.volumeRest,
      () => 0,
    )
    column(
      (b) => b.count,
      () => 0,
    )
    column(
      (b) => b.firstSeq,
      (_, i) => before(i)?.lastSeq ?? 0,
    )
    column(
      (b) => b.lastSeq,
      (b) => b.firstSeq,
    )
    column(
      (b) => b.openMs,
      (b) => b.startMs,
    )
    column(
      (b) => b.openSeq,
      (b) => b.firstSeq,
    )
    column(
      (b) => b.closeMs,
      (b) => b.startMs,
    )
    column(
      (b) => b.closeSeq,
      (b) => b.lastSeq,
    )
  }
  return zstdCompressSync(out.finish(), { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
}

/** A stored hour of bars. */
export interface RollupRow {
  readonly hour_ms: number
  readonly sum: Buffer
  readonly data: Buffer
}

/** Reads a stored hour. Throws `store-damaged` if its checksum or content is wrong. */
export function readHour({ hour_ms, sum, data }: RollupRow): HourBars {
  // zstd's frame has no checksum here, so changed bars could be read without this.
  if (!equalBytes(rowChecksum([hour_ms], data), sum)) throw corruptBlock('an hour of bars fails its checksum')
  return decodeHour(hour_ms, data)
}

/** Decodes an hour. Throws `store-damaged`. `hourMs`: its start, UTC ms. */
export function decodeHour(hourMs: number, data: Uint8Array): HourBars {
  let body: Uint8Array
  try {
    body = zstdDecompressSync(data, { maxOutputLength: MAX_BYTES })
  } catch {
    throw corruptBlock('an hour of bars can’t be decompressed')
  }
  const reader = new ByteReader(body)
  const hour: HourBars = new Map()
  const kinds = reader.count(BAR_SOURCES.length, 'the kinds of bars')
  for (let k = 0; k < kinds; k++) {
    const of = BAR_SOURCES[reader.byte()]
    if (of === undefined) throw corruptBlock('a bar has an unknown price source')
    const n = reader.count(HOUR_MS, 'the count of bars')
    const blank = (): BarState => ({ ...BLANK })
    const bars = Array.from({ length: n }, blank)
    const column = (key: NumberKey, base: (bar: BarState, i: number) => number): void => {
      readColumn(
        reader,
        n,
        (i) => base(bars[i], i),
        (i, value) => {
          // startMs and endMs are read-only for everyone except this reader
          ;(bars[i] as Record<NumberKey, number>)[key] = value
        },
      )
    }
    const before = (i: number): BarState | undefined => bars[i - 1]
    column('startMs', (_, i) => before(i)?.startMs ?? hourMs)
    column('endMs', (b) => b.startMs)
    // opens are stored relative to closes, which follow later
    const opens = columnReader(reader, n)
    const highs = columnReader(reader, n)
    const lows = columnReader(reader, n)
    const closes = columnReader(reader, n)
    for (let i = 0; i < n; i++) {
      const b = bars[i]
      b.open = opens(i, before(i)?.close ?? 0)
      b.high = highs(i, b.open)
      b.low = lows(i, b.open)
      b.close = closes(i, b.open)
    }
    column('volume', () => 0)
    column('volumeRest', () => 0)
    column('count', () => 0)
    const firsts = columnReader(reader, n)
    const lasts = columnReader(reader, n)
    for (let i = 0; i < n; i++) {
      const b = bars[i]
      b.firstSeq = firsts(i, before(i)?.lastSeq ?? 0)
      b.lastSeq = lasts(i, b.firstSeq)
    }
    column('openMs', (b) => b.startMs)
    column('openSeq', (b) => b.firstSeq)
    column('closeMs', (b) => b.startMs)
    column('closeSeq', (b) => b.lastSeq)
    hour.set(of, new Map(bars.map((bar) => [bar.startMs, { ...bar, complete: true }])))
  }
  if (reader.at !== reader.end) throw corruptBlock('an hour of bars has extra bytes at its end')
  return hour
}

const BLANK = {
  startMs: 0,
  endMs: 0,
  open: 0,
  high: 0,
  low: 0,
  close: 0,
  volume: NaN,
  volumeRest: 0,
  count: 0,
  openMs: 0,
  openSeq: 0,
  closeMs: 0,
  closeSeq: 0,
  firstSeq: 0,
  lastSeq: 0,
  complete: true,
} satisfies BarState

type NumberKey = Exclude<keyof BarState, 'complete'>

const PLAIN = 255
const ABSENT = 254

/** The fewest decimals that make every value and base a safe integer; PLAIN if there are none. */
function decimalsOf(values: readonly number[], bases: readonly number[]): number {
  if (values.every(Number.isNaN)) return ABSENT
  const fits = (x: number, power: number): boolean => {
    const scaled = Math.round(x * power)
    return Math.abs(scaled) < 2 ** 51 && Object.is(scaled / power, x)
  }
  for (let d = 0; d <= MAX_DECIMALS; d++) {
    const power = 10 ** d
    if (values.every((x) => fits(x, power)) && bases.every((x) => fits(x, power))) return d
  }
  return PLAIN
}

function writeColumn(out: ByteWriter, values: readonly number[], bases: readonly number[]): void {
  const d = decimalsOf(values, bases)
  out.byte(d)
  if (d === ABSENT) return
  if (d === PLAIN) {
    out.raw(new Uint8Array(Float64Array.from(values).buffer))
    return
  }
  const power = 10 ** d
  values.forEach((x, i) => out.signed(Math.round(x * power) - Math.round(bases[i] * power)))
}

/** Returns a reader for a column whose bases become known later: value i, given its base. */
function columnReader(reader: ByteReader, n: number): (i: number, base: number) => number {
  const d = reader.byte()
  if (d === ABSENT) return () => NaN
  if (d === PLAIN) {
    const values = new Float64Array(new Uint8Array(reader.raw(n * 8)).buffer)
    return (i) => values[i]
  }
  if (d > MAX_DECIMALS) throw corruptBlock('a bar column has too many decimals')
  const power = 10 ** d
  const parts = Float64Array.from({ length: n }, () => reader.signed())
  return (i, base) => (parts[i] + Math.round(base * power)) / power
}

function readColumn(
  reader: ByteReader,
  n: number,
  base: (i: number) => number,
  set: (i: number, x: number) => void,
): void {
  const part = columnReader(reader, n)
  for (let i = 0; i < n; i++) set(i, part(i, base(i)))
}
