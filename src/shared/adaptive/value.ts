/**
 * Answers of unknown shape as values. Numbers keep the digits that the service sent: where a double
 * cannot give them back, the literal is kept beside it.
 */

/** A number whose text a double does not give back, such as 12345678901234567890 or 1.10000000000000000001. */
export class ExactNumber {
  readonly text: string
  readonly value: number
  constructor(text: string) {
    this.text = text
    this.value = Number(text)
  }
  toJSON(): number {
    return this.value
  }
}

export type Scalar = null | boolean | number | string | ExactNumber
export type Value = Scalar | readonly Value[] | { readonly [key: string]: Value }
export type ValueObject = { readonly [key: string]: Value }

/** Digits beyond what every double keeps: only such texts need the slow way. */
const LONG_NUMBER = /\d(?:\.?\d){15}/

/** Reads JSON; undefined where the text is none. A key named `__proto__` is a key like any other. */
export function parseValue(text: string): Value | undefined {
  try {
    if (!LONG_NUMBER.test(text)) return JSON.parse(text) as Value // JSON has no other values
    // The third argument ("source text access") is newer than the type library.
    const reviver = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
      typeof value === 'number' && context?.source !== undefined && !gives(value, context.source)
        ? new ExactNumber(context.source)
        : value
    return JSON.parse(text, reviver) as Value // as above
  } catch {
    return undefined
  }
}

/** Whether a double's shortest text stands for the same decimal as the source. */
function gives(value: number, source: string): boolean {
  return Number.isFinite(value) && decimal(String(value)) === decimal(source)
}

/** A decimal in one spelling: sign, significant digits, exponent. */
function decimal(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text)
  if (match === null) return text
  const [, sign, whole, fraction = '', power = '0'] = match
  const digits = whole + fraction
  const significant = digits.replace(/^0+/, '').replace(/0+$/, '')
  if (significant === '') return '0'
  const trailing = digits.length - digits.replace(/0+$/, '').length
  return `${sign}${significant}e${Number(power) - fraction.length + trailing}`
}

export function isObject(value: Value | undefined): value is ValueObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

export function isScalar(value: Value | undefined): value is Scalar {
  return value === null || typeof value !== 'object' || value instanceof ExactNumber
}

/** Own keys and values. */
export const entriesOf = (object: ValueObject): readonly (readonly [string, Value])[] => Object.entries(object)

/** An own value; undefined where there is none. */
export function own(object: ValueObject, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** The text of a scalar, with the digits that the service sent; '' for null. */
export function scalarText(value: Scalar): string {
  if (value === null) return ''
  return value instanceof ExactNumber ? value.text : String(value)
}
