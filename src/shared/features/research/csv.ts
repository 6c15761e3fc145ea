/** Reads CSV responses as records, by RFC 4180. */
import { distinctNames, objectOf, type ValueObject } from './value.ts'

/** Rows of fields. Quoted fields can contain separators, line breaks and doubled quotes. Never throws. */
export function parseCsv(text: string, separator = ','): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let field = ''
  let quoted = false
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  const endRow = () => {
    row.push(field)
    if (row.length > 1 || field !== '') rows.push(row)
    row = []
    field = ''
  }
  for (let i = 0; i < source.length; i++) {
    const c = source[i]
    if (quoted) {
      if (c !== '"') field += c
      else if (source[i + 1] === '"') {
        field += '"'
        i++
      } else quoted = false
    } else if (c === '"' && field === '') quoted = true
    else if (c === separator) {
      row.push(field)
      field = ''
    } else if (c === '\n') endRow()
    else if (c !== '\r' || source[i + 1] !== '\n') field += c
  }
  endRow()
  return rows
}

/** The records of a CSV text with a header, or undefined if it doesn't look like a table. */
export function csvRecords(text: string): readonly ValueObject[] | undefined {
  const head = text.slice(0, 4_096).split(/\r?\n/, 1)[0]
  const separator = [',', ';', '\t', '|']
    .map((one) => ({ one, n: head.split(one).length }))
    .reduce((best, next) => (next.n > best.n ? next : best))
  if (separator.n < 2) return undefined
  const [header, ...rows] = parseCsv(text, separator.one)
  if (header === undefined || rows.length === 0) return undefined
  if (rows.filter((row) => row.length === header.length).length < rows.length / 2) return undefined
  const width = rows.reduce((most, row) => Math.max(most, row.length), header.length)
  // A row can be longer than the header: its extra values have no name but are kept.
  const names = distinctNames(Array.from({ length: width }, (_, i) => header[i]?.trim() || `column ${i + 1}`)) // A missing name isn't an empty name.
  return rows.map((row) =>
    objectOf(names.map((name, i) => [name, row[i] === undefined || row[i] === '' ? null : row[i]])),
  )
}
