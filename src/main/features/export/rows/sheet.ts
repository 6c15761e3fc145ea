/** CSV for spreadsheets: local times and the decimal sign that go with the separator. */
import { tickFields } from '../../../../service/tick-columns.ts'
import type { SheetStyle } from '../../../../shared/features/export/export.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import { csvText } from '../../../../shared/base/csv.ts'
import type { ByteSink } from '../../../base/file-sink.ts'
import { createOffsets } from '../../../base/zones.ts'
import { timesOf, utf8Of, widen, type Span, type TickRows } from './rows.ts'
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'

/** The rows of a sheet in Excel, without the header. */
export const SHEET_ROWS = 1_048_575

/** Writes times and numbers as a spreadsheet of a country with this separator reads them. */
export interface SheetCells {
  /** `2026-01-05 10:30:00.000` in the zone; empty for NaN. Throws `usage` for an unknown zone when created. */
  time(ms: number): string
  /** A number's text with the decimal sign. */
  number(text: string): string
}

export function createSheetCells({ zone }: SheetStyle, separator: string): SheetCells {
  const offsetAt = createOffsets(zone)
  // Where lists are separated by semicolons, the comma is the decimal sign.
  const number = separator === ';' ? (text: string) => text.replace('.', ',') : (text: string) => text
  return {
    time(ms) {
      if (Number.isNaN(ms)) return ''
      const local = new Date(Math.floor(ms) + offsetAt(ms)).toISOString()
      return number(`${local.slice(0, 10)} ${local.slice(11, 23)}`)
    },
    number,
  }
}

const decoder = new TextDecoder()

/** Writes the columns of `tapedeck/ticks/2` for a spreadsheet. */
export function createSheetRows(
  file: ByteSink,
  feed: FeedId,
  { separator, raw, style }: { separator: string; raw: boolean; style: SheetStyle },
  span: Span,
): TickRows {
  const cells = createSheetCells(style, separator)
  const fields = tickFields(feed, 2)
  const text = (value: string): string => csvText(value, separator)
  return {
    end() {},
    of(ticks) {
      const values = fields.map(({ key, isTime }) => {
        const times = isTime ? timesOf(ticks.column(key)) : null
        return (row: number): string => {
          if (times === null) return ticks.literal(key, row)
          return Number.isNaN(times[row]) ? '' : String(times[row])
        }
      })
      return (from, to) => {
        let rows = 0
        for (let row = from; row < to; row++) {
          if ((ticks.flags[row] & STORED_ONLY) !== 0) continue
          const event = ticks.eventMs[row]
          const recv = ticks.recvMs[row]
          widen(span, event, recv)
          const line = [
            feed,
            text(ticks.symbol(row)),
            cells.time(event),
            cells.time(recv),
            Number.isNaN(event) ? '' : cells.number(String(event)),
            cells.number(String(recv)),
            String(ticks.seq[row]),
            ...values.map((value) => text(cells.number(value(row)))),
          ]
          if (raw) line.push(text(decoder.decode(utf8Of(ticks.raw(row), ticks.flags[row]))))
          file.text(`${line.join(separator)}\n`)
          rows++
        }
        return rows
      }
    },
  }
}
