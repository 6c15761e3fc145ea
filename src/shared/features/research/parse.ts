/**
 * Reads JSON as the service wrote it: numbers keep their digits, objects their key order. `JSON.parse` keeps neither:
 * 1.50 becomes 1.5, 1e400 becomes Infinity, and keys such as "2024" come first, ascending.
 */
import { nestsTooDeep } from '../../base/json-depth.ts'
import { ExactNumber, orderKeys, type Value } from './value.ts'

/**
 * Text in which `JSON.parse`, which is five times as fast, would lose something: more than 15 digits, a fraction that
 * ends in zero or starts with six, an exponent, a negative zero, a numeric key.
 */
const NEEDS_CARE = /\d(?:\.?\d){15}|\.\d*0(?!\d)|0\.0{6}|\d[eE][+-]?\d|-0(?![\d.])|"\d+"\s*:/

/**
 * Reads JSON. Returns undefined if the text isn't JSON or is nested deeper than `MAX_JSON_DEPTH`. Of repeated keys the
 * last value counts, as in JSON.parse.
 */
export function parseValue(text: string): Value | undefined {
  if (nestsTooDeep(text)) return undefined
  try {
    return NEEDS_CARE.test(text) ? new JsonReader(text).read() : (JSON.parse(text) as Value) // JSON has no other values
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** Keys that objects list first, in numeric order. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/
const QUOTE = 0x22
const BACKSLASH = 0x5c

class JsonReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): Value {
    const value = this.#value()
    this.#skipSpace()
    if (this.#at < this.#text.length) throw this.#wrong()
    return value
  }

  #value(): Value {
    this.#skipSpace()
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object()
      case '[':
        return this.#list()
      case '"':
        return this.#string()
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #object(): Value {
    const object: Record<string, Value> = {}
    /** All keys so far, once one of them would change position. */
    let order: string[] | null = null
    this.#at++
    if (this.#skips('}')) return object
    do {
      this.#skipSpace()
      if (this.#text.charCodeAt(this.#at) !== QUOTE) throw this.#wrong()
      const key = this.#string()
      this.#expect(':')
      const value = this.#value()
      if (order === null && INDEX.test(key)) order = Object.keys(object)
      if (order !== null && !Object.hasOwn(object, key)) order.push(key)
      if (key === '__proto__') {
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
      } else object[key] = value
    } while (this.#skips(','))
    this.#expect('}')
    if (order !== null) orderKeys(object, order)
    return object
  }

  #list(): Value {
    const list: Value[] = []
    this.#at++
    if (this.#skips(']')) return list
    do list.push(this.#value())
    while (this.#skips(','))
    this.#expect(']')
    return list
  }

  #string(): string {
    const text = this.#text
    const from = this.#at
    let escaped = false
    for (let i = from + 1; i < text.length; i++) {
      const c = text.charCodeAt(i)
      if (c === QUOTE) {
        this.#at = i + 1
        return escaped ? (JSON.parse(text.slice(from, i + 1)) as string) : text.slice(from + 1, i) // quoted text
      }
      if (c === BACKSLASH) {
        escaped = true
        i++
      } else if (c < 0x20) break
    }
    throw this.#wrong()
  }

  #number(): Value {
    NUMBER.lastIndex = this.#at
    const found = NUMBER.exec(this.#text)
    if (found === null) throw this.#wrong()
    const [literal] = found
    this.#at += literal.length
    const value = Number(literal)
    return String(value) === literal ? value : new ExactNumber(literal)
  }

  #word<T extends Value>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#wrong()
    this.#at += word.length
    return value
  }

  #expect(mark: string): void {
    if (!this.#skips(mark)) throw this.#wrong()
  }

  #skips(mark: string): boolean {
    this.#skipSpace()
    if (this.#text[this.#at] !== mark) return false
    this.#at++
    return true
  }

  #skipSpace(): void {
    for (;;) {
      const c = this.#text.charCodeAt(this.#at)
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return
      this.#at++
    }
  }

  #wrong(): SyntaxError {
    return new SyntaxError(`unexpected text at ${this.#at}`)
  }
}
