/** Numbers as users type them. Pure. */

/** Parses a typed number. Accepts grouping and a decimal comma if they are unambiguous. NaN if it isn't a number. */
export function parseNumber(typed: string): number {
  const text = typed
    .trim()
    .replace(/\u2212/g, '-')
    .replace(/[\s\u00A0\u202F_']/g, '')
  const plain = /^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(text)
    ? text.replaceAll(',', '')
    : /^-?\d+,\d+$/.test(text)
      ? text.replace(',', '.')
      : text
  return /^-?(\d+\.?\d*|\.\d+)(e-?\d+)?$/i.test(plain) ? Number(plain) : NaN
}
