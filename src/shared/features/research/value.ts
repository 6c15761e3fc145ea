/** Responses of unknown shape as values. Numbers keep their digits, objects their key order. */

/** A number that a double doesn't write as the service did, such as 1.50, -0, 1e-05 or 12345678901234567890. */
export class ExactNumber {
  readonly text: string
  readonly value: number
  constructor(text: string) {
    this.text = text
    this.value = Number(text)
  }
}

export type Scalar = null | boolean | number | string | ExactNumber
export type Value = Scalar | readonly Value[] | { readonly [key: string]: Value }
export type ValueObject = { readonly [key: string]: Value }

/** Whether two numbers are the same decimal, however written: 1.5, 1.50 and 15e-1 are. */
export function sameDecimal(a: number | ExactNumber, b: number | ExactNumber): boolean {
  return decimal(scalarText(a)) === decimal(scalarText(b))
}

/** The canonical form of a decimal: sign, significant digits, exponent. */
function decimal(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text)
  if (match === null) return text
  const [, sign, whole, fraction = '', power = '0'] = match
  const digits = whole + fraction
  const significant = digits.replace(/^0+/, '').replace(/0+$/, '')
  if (significant === '') return `${sign}0`
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

/** The key order of objects that would list integer keys first. */
const orders = new WeakMap<ValueObject, readonly string[]>()

/** Records the order in which an object's keys were written. */
export function orderKeys(object: ValueObject, keys: readonly string[]): void {
  orders.set(object, keys)
}

/** An object that lists its keys in the order of `entries`. The keys must be distinct. */
export function objectOf(entries: readonly (readonly [string, Value])[]): ValueObject {
  const object = Object.fromEntries(entries)
  if (Object.keys(object).some((key, i) => key !== entries[i][0]))
    orderKeys(
      object,
      entries.map(([key]) => key),
    )
  return object
}

/** Own keys and values, in the order in which the service sent them. */
export function entriesOf(object: ValueObject): readonly (readonly [string, Value])[] {
  const order = orders.get(object)
  return order === undefined ? Object.entries(object) : order.map((key) => [key, object[key]] as const)
}

/** An own value, or undefined. */
export function own(object: ValueObject, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** The text of a scalar with the digits that were sent; '' for null. */
export function scalarText(value: Scalar): string {
  if (value === null) return ''
  return value instanceof ExactNumber ? value.text : String(value)
}

/** A value as JSON without spaces, with the digits and order that were sent. */
export function jsonText(value: Value): string {
  if (isList(value)) return `[${value.map(jsonText).join(',')}]`
  if (isObject(value)) {
    return `{${entriesOf(value)
      .map(([key, one]) => `${JSON.stringify(key)}:${jsonText(one)}`)
      .join(',')}}`
  }
  return value instanceof ExactNumber ? value.text : JSON.stringify(value)
}

/** Distinct names: a repeated one gets its index, so no value hides another. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set(names)
  const seen = new Set<string>()
  return names.map((name, i) => {
    if (!seen.has(name)) {
      seen.add(name)
      return name
    }
    let other = `${name} (${i + 1})`
    while (taken.has(other)) other += ' '
    taken.add(other)
    return other
  })
}
