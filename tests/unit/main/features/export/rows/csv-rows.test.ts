/** CSV rows many at a time, compared with the same rows put together from strings. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeBlock } from '../../../../../../src/main/core/store/blocks/encode.ts'
import { openBlock } from '../../../../../../src/main/core/store/blocks/open.ts'
import { blockTicks } from '../../../../../../src/main/core/store/blocks/ticks.ts'
import { createCsvRows } from '../../../../../../src/main/features/export/rows/csv-rows.ts'
import { createMemoryFile } from '../../../../../../src/main/base/file-sink.ts'
import { textRoom, writeText } from '../../../../../../src/main/features/export/rows/cells.ts'
import { FLAG } from '../../../../../../src/shared/core/recording/session.ts'
import { sessionId } from '../../../../../../src/shared/base/units.ts'
import { newColumns } from '../../../../../../src/main/core/store/format/message-columns.ts'
import type { TickColumns } from '../../../../../../src/main/core/store/types/ticks.ts'
import type { MessageColumns } from '../../../../../../src/main/core/store/types/messages.ts'

const T = Date.UTC(2026, 0, 5, 23, 59, 50)

interface Trade {
  readonly symbol: string
  readonly price: string
  readonly size: string | null
  readonly eventMs: number
  readonly recvMs: number
  readonly flags: number
}

function messagesOf(trades: readonly Trade[]): MessageColumns {
  const texts = trades.map(({ symbol, price, size, eventMs }) =>
    Buffer.from(
      `{"ev":"XT","pair":${JSON.stringify(symbol)},"p":${price},"t":${eventMs}${size === null ? '' : `,"s":${size}`}}`,
    ),
  )
  const m = { ...newColumns(trades.length, 0), bytes: Buffer.concat(texts) }
  trades.forEach(({ recvMs, flags }, i) => {
    m.seq[i] = i * 3 + 1
    m.recvMs[i] = recvMs
    m.flags[i] = flags
    m.offsets[i + 1] = m.offsets[i] + texts[i].length
  })
  return m
}

const iso = (ms: number): string => (Number.isNaN(ms) ? '' : new Date(Math.floor(ms)).toISOString())
const millis = (ms: number): string => (Number.isNaN(ms) ? '' : String(ms))

function symbolCell(symbol: string, separator: string): string {
  const text = Buffer.from(symbol)
  const out = Buffer.alloc(textRoom(text))
  return out.toString('utf8', 0, writeText(out, 0, text, separator.charCodeAt(0), true))
}

const price = fc.oneof(
  fc.integer({ min: 1, max: 10_000_000 }).map((n) => String(n / 100)),
  fc.integer({ min: 1, max: 10_000_000 }).map((n) => (n / 100).toFixed(2)),
  fc.constantFrom('1e-7', '1e+30', '0.00000012', '123456789012345678', '1.0', '0', '"12.5"', '-3', '5E2'),
)
const trade = fc.record<Trade>({
  symbol: fc.constantFrom('A-USD', 'B-USD', '=C', 'd,"e"', '', 'Ü-USD'),
  price,
  size: fc.oneof(fc.constant(null), price),
  eventMs: fc.oneof(fc.integer({ min: T, max: T + 20_000 }), fc.constantFrom(5, 1e12, T + 86_400_000 * 400)),
  recvMs: fc.oneof(fc.integer({ min: T, max: T + 20_000 }), fc.constant(T + 0.5)),
  flags: fc.constantFrom(0, 0, 0, 0, 0, FLAG.unasked),
})

const ticksOf = (trades: readonly Trade[]): TickColumns =>
  blockTicks(openBlock(encodeBlock('crypto/XT', messagesOf(trades), { prove: false })), sessionId('r'))

function csvOf(ticks: TickColumns, schema: 1 | 2, separator: string, cut: number): string {
  const file = createMemoryFile()
  const rows = createCsvRows(file, 'crypto/XT', { separator, raw: false, schema }, { first: Infinity, last: -Infinity })
  const write = rows.of(ticks)
  write(0, Math.min(cut, ticks.count))
  write(Math.min(cut, ticks.count), ticks.count)
  return Buffer.from(file.bytes.subarray(0, file.at)).toString()
}

test.each([1, 2] as const)('rows of schema %i are what their cells are', (schema) => {
  fc.assert(
    fc.property(
      fc.array(trade, { minLength: 1, maxLength: 60 }),
      fc.constantFrom(',', ';', '\t'),
      fc.nat(60),
      (trades, separator, cut) => {
        const ticks = ticksOf(trades)
        const expected = trades.flatMap(({ symbol, recvMs, flags }, i) => {
          if (flags !== 0) return []
          const eventMs = ticks.eventMs[i]
          const start = ['crypto/XT', symbolCell(symbol, separator)]
          const seq = String(i * 3 + 1)
          const numbers = ['p', 's'].map((key) => ticks.literal(key, i))
          const times =
            schema === 1
              ? [millis(eventMs), iso(eventMs), millis(recvMs), iso(recvMs)]
              : [iso(eventMs), iso(recvMs), millis(eventMs), millis(recvMs)]
          return [`${[...start, ...times, seq, ...numbers].join(separator)}\n`]
        })
        expect(csvOf(ticks, schema, separator, cut)).toBe(expected.join(''))
      },
    ),
    { numRuns: 60 },
  )
})

test('more symbols than the writer has room for', () => {
  const trades = Array.from({ length: 12_000 }, (_, i) => ({
    symbol: `${'S'.repeat(i % 50)}${i}`,
    price: '1.5',
    size: '2',
    eventMs: T + i,
    recvMs: T + i,
    flags: 0,
  }))
  const lines = csvOf(ticksOf(trades), 1, ',', 5_000).trimEnd().split('\n')
  expect(lines.length).toBe(12_000)
  expect(lines.map((line) => line.split(',')[1])).toEqual(trades.map(({ symbol }) => symbol))
})
