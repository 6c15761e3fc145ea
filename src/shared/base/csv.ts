/** CSV cells and tables, the same in the window as in exports. */

/** Characters that spreadsheets drop or hide at the start of a cell, as parts of a regular expression class. */
const UNSEEN = '\\u0000-\\u0020\\u00a0\\ufeff\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069'
/** The signs = + - @, including their full-width and small forms. */
const SIGNS = '=+\\-@\\uff1d\\uff0b\\uff0d\\uff20\\ufe66\\ufe62\\ufe63\\ufe6b'
const FORMULA = new RegExp(`^'*(?:[\\t\\r\\n]|[${UNSEEN}]*[${SIGNS}])`)

/** Whether a spreadsheet would take a text for a formula, even behind apostrophes or invisible characters. */
export const isFormula = (text: string): boolean => FORMULA.test(text)

/**
 * A text as a CSV cell. Text that a spreadsheet would take for a formula gets a leading apostrophe; removing one
 * restores it. Quoted as RFC 4180 requires.
 */
export function csvText(text: string, separator = ','): string {
  const safe = isFormula(text) ? `'${text}` : text
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A CSV table with a header row and LF line ends. Numbers keep every digit; null and NaN are empty. */
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
