/** Text as a cell of a CSV file, the same in a window as in an export. */

/** What spreadsheets drop or show as nothing at the beginning of a cell, as parts of a class of characters. */
const UNSEEN = '\\u0000-\\u0020\\u00a0\\ufeff\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069'
/** = + - @, also full-width and small. */
const SIGNS = '=+\\-@\\uff1d\\uff0b\\uff0d\\uff20\\ufe66\\ufe62\\ufe63\\ufe6b'
const FORMULA = new RegExp(`^'*(?:[\\t\\r\\n]|[${UNSEEN}]*[${SIGNS}])`)

/** Whether a spreadsheet would take a text for a formula, also after apostrophes and what nobody sees, and in other widths. */
export const isFormula = (text: string): boolean => FORMULA.test(text)

/**
 * What a spreadsheet would take for a formula gets an apostrophe before it; taking one away gives the text back.
 * Quoted where RFC 4180 asks for it.
 */
export function csvText(text: string, separator = ','): string {
  const safe = isFormula(text) ? `'${text}` : text
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A table with a header row and LF. Numbers as they are, with every digit; null and NaN are empty. */
export function csvTable(
  columns: readonly string[],
  rows: readonly (readonly (string | number | boolean | null)[])[],
): string {
  const cell = (value: string | number | boolean | null): string =>
    value === null || (typeof value === 'number' && Number.isNaN(value))
      ? ''
      : typeof value === 'string'
        ? csvText(value)
        : String(value)
  return [columns.map((name) => csvText(name)), ...rows.map((row) => row.map(cell))]
    .map((cells) => `${cells.join(',')}\n`)
    .join('')
}
