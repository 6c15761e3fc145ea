/** The messages of some of a block's rows, byte for byte. */
import { corruptBlock } from './bytes.ts'
import { TEMPLATE } from './directory.ts'
import { MAX_DECIMALS, MAX_LITERAL, writeLiteral } from '../kernels/literal.ts'
import { NUMBER_FORM, STYLE, type Style } from '../kernels/number-form.ts'
import type { TextRows, TextTarget, TextWriter } from './open-block.ts'
import type { RowInts } from './row-ints.ts'
import { NO_TEXT, type RowNumbers } from './row-numbers.ts'
import type { BlockSource } from './source.ts'

/** The columns that a template's text is written from, looked up once because a lookup for each row is slow. */
interface Plan {
  /** The text between the numbers as 4-byte words; each part is padded to 8 bytes, and its end is in `slots` or `end`. */
  readonly words: Int32Array
  /** Bytes of the text after the last number, or of the whole text. */
  readonly end: number
  readonly slots: readonly Slot[]
  /** The most that one of its rows takes, without exceptions. */
  readonly maxBytes: number
  readonly hasExceptions: boolean
  /** Its number in a `TextRows`, as long as its round is the same. */
  number: number | undefined
  round: object | undefined
}

/** A number and the text before it. */
interface Slot {
  /** Bytes of the text, and the end of its words. */
  readonly size: number
  readonly wordEnd: number
  /** By place: the digits without a decimal point. `decimals` says how many of them follow the point. */
  readonly mantissas: Float64Array
  readonly decimals: number
  /** Decimals by place, if they differ. */
  readonly perRow: Float64Array | undefined
  readonly style: Style
  /** Place of each row's value; undefined if it is the row. */
  readonly places: Uint32Array | undefined
  /** Texts by place that can't be written from numbers; undefined if there are none. */
  readonly exceptions: ReadonlyMap<number, Uint8Array> | undefined
}

export class RowTexts implements TextWriter {
  readonly #source: BlockSource
  readonly #columns: RowInts
  readonly #numbers: RowNumbers
  /** Count of these rows. */
  readonly #count: number
  /** Template of each row, from 1; 0: its text is stored. */
  readonly #ids: Float64Array
  /** How to write each template, made on first use. */
  readonly #plans: (Plan | undefined)[] = []
  #stored: ReadonlyMap<number, number> | undefined

  constructor(source: BlockSource, columns: RowInts, numbers: RowNumbers, count: number) {
    this.#source = source
    this.#columns = columns
    this.#numbers = numbers
    this.#count = count
    this.#ids = columns.int(TEMPLATE)
  }

  /** The rows that are stored as text, with the number of each text. */
  get stored(): ReadonlyMap<number, number> {
    return (this.#stored ??= this.#findStored())
  }

  #findStored(): ReadonlyMap<number, number> {
    const { count, rawEnds } = this.#source.directory
    const found = new Map<number, number>()
    let n = this.#count === count ? 0 : this.#columns.spans.raws
    if (rawEnds.length > 0) for (let i = 0; i < this.#count; i++) if (this.#ids[i] === 0) found.set(i, n++)
    return found
  }

  #storedText(row: number): Uint8Array {
    const { rawEnds, rawFrom } = this.#source.directory
    const n = this.stored.get(row) ?? -1
    const end = rawEnds[n]
    if (end === undefined) return NO_TEXT
    return this.#source.cold.subarray(rawFrom + (rawEnds[n - 1] ?? 0), rawFrom + end)
  }

  room(row: number): number {
    const id = this.#ids[row]
    if (!(id > 0)) return this.#storedText(row).length
    const plan = this.#plans[id - 1] ?? this.#makePlan(id - 1)
    return plan.hasExceptions ? roomWithExceptions(plan, row) : plan.maxBytes
  }

  write(row: number, out: TextTarget, at: number): number {
    const id = this.#ids[row]
    if (id > 0) return render(this.#plans[id - 1] ?? this.#makePlan(id - 1), row, out, at)
    const text = this.#storedText(row)
    out.bytes.set(text, at)
    return at + text.length
  }

  fill(from: number, to: number, places: Uint32Array, feed: number, out: TextRows): void {
    const ids = this.#ids
    for (let row = from; row < to;) {
      const id = ids[row]
      let end = row + 1
      while (end < to && ids[end] === id) end++
      const at = places.subarray(row - from, end - from)
      const plan = id > 0 ? (this.#plans[id - 1] ?? this.#makePlan(id - 1)) : undefined
      const number = plan === undefined ? undefined : this.#numberOf(plan, id - 1, feed, out)
      if (plan === undefined || number === undefined) for (let i = 0; i < at.length; i++) out.isSingle[at[i]] = 1
      else {
        for (let i = 0; i < at.length; i++) out.templates[at[i]] = number
        for (let s = 0; s < plan.slots.length; s++) fillNumbers(plan.slots[s], row, at, out.numbers[s], out.isSingle)
      }
      row = end
    }
  }

  #numberOf(plan: Plan, t: number, feed: number, out: TextRows): number | undefined {
    if (plan.round !== out.round) {
      plan.number = out.addTemplate(feed, this.#source.directory.templates[t].parts)
      plan.round = out.round
    }
    return plan.number
  }

  #makePlan(t: number): Plan {
    const { templates, numbers } = this.#source.directory
    const { parts, columns } = templates[t]
    const words: number[] = []
    const slots = columns.map((c, s): Slot => {
      const { values, decimals, perRow, style, exceptions } = numbers[c]
      const isExplicit = style === STYLE.explicit
      words.push(...wordsOf(parts[s]))
      return {
        size: parts[s].length,
        wordEnd: words.length,
        mantissas: this.#columns.int(values),
        decimals,
        perRow: isExplicit ? this.#columns.int(perRow) : undefined,
        style,
        places: this.#numbers.positions[c],
        exceptions: exceptions.length > 0 ? this.#numbers.exceptions(c) : undefined,
      }
    })
    const last = parts[columns.length]
    return (this.#plans[t] = {
      words: Int32Array.from([...words, ...wordsOf(last)]),
      end: last.length,
      slots,
      maxBytes: columns.length * MAX_LITERAL + parts.reduce((sum, { length }) => sum + length, 0) + PADDING,
      hasExceptions: slots.some(({ exceptions }) => exceptions !== undefined),
      number: undefined,
      round: undefined,
    })
  }
}

/** Two words at a time are written, so up to this many bytes after a text are written, too. */
const PADDING = 7

function wordsOf(part: Uint8Array): Int32Array {
  const padded = new Uint8Array(Math.ceil(part.length / 8) * 8)
  padded.set(part)
  return new Int32Array(padded.buffer)
}

function roomWithExceptions({ slots, maxBytes }: Plan, row: number): number {
  let size = maxBytes
  for (const { exceptions, places } of slots) size += exceptions?.get(places?.[row] ?? row)?.length ?? 0
  return size
}

/** Gives a number of rows from `from` on to `into`, at the places `at`. */
function fillNumbers(
  { mantissas, decimals, perRow, style, places, exceptions }: Slot,
  from: number,
  at: Uint32Array,
  { values, forms }: TextRows['numbers'][number],
  isSingle: Uint8Array,
): void {
  const form = decimals | NUMBER_FORM[style]
  for (let i = 0; i < at.length; i++) {
    const place = at[i]
    values[place] = mantissas[places === undefined ? from + i : places[from + i]]
    forms[place] = form
  }
  if (exceptions === undefined && perRow === undefined) return
  for (let i = 0; i < at.length; i++) {
    const own = places === undefined ? from + i : places[from + i]
    const shown = perRow === undefined ? decimals : perRow[own]
    if (exceptions?.has(own) === true || !(shown <= MAX_DECIMALS)) isSingle[at[i]] = 1
    else if (perRow !== undefined) forms[at[i]] = shown
  }
}

/** Writes a row's text. Returns the offset after it. */
function render({ words, end, slots }: Plan, row: number, { bytes, view }: TextTarget, at: number): number {
  let to = at
  let word = 0
  for (let s = 0; s < slots.length; s++) {
    const { size, wordEnd, mantissas, decimals, perRow, style, places, exceptions } = slots[s]
    for (let i = to; word < wordEnd; word += 2, i += 8) {
      view.setInt32(i, words[word], true)
      view.setInt32(i + 4, words[word + 1], true)
    }
    to += size
    const place = places === undefined ? row : places[row]
    const text = exceptions === undefined ? undefined : exceptions.get(place)
    if (text !== undefined) {
      bytes.set(text, to)
      to += text.length
      continue
    }
    const shown = perRow === undefined ? decimals : perRow[place]
    if (!(shown <= MAX_DECIMALS)) throw corruptBlock('a column has too many decimals')
    to = writeLiteral(bytes, to, mantissas[place], shown, style)
  }
  for (let i = to; word < words.length; word += 2, i += 8) {
    view.setInt32(i, words[word], true)
    view.setInt32(i + 4, words[word + 1], true)
  }
  return to + end
}
