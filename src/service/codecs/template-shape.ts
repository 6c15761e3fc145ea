/**
 * Records of stored messages without their text. Messages of one template differ only in their numbers, so how a
 * record follows from the numbers is found out once, by scanning the template's text.
 */
import type { FeedId } from '../../shared/base/units.ts'
import { FEEDS, type FieldMap } from '../feeds.ts'
import type { RecordShape } from './reading.ts'
import { SLOT } from './scan.ts'
import { CODECS } from './table.ts'

/** What a record needs of a number: a price is above zero and determines the decimals, a time is in range. */
export type NumberKind = 'price' | 'quantity' | 'time'

const KINDS: Readonly<Record<keyof typeof SLOT, NumberKind>> = {
  price: 'price',
  bid: 'price',
  ask: 'price',
  open: 'price',
  high: 'price',
  low: 'price',
  close: 'price',
  size: 'quantity',
  bidSize: 'quantity',
  askSize: 'quantity',
  volume: 'quantity',
  time: 'time',
  start: 'time',
  end: 'time',
}

interface TemplateShape {
  readonly shape: RecordShape
  /** For each number of the template, what the record needs of it; null: nothing, the record doesn't have it. */
  readonly kinds: readonly (NumberKind | null)[]
}

/** A literal that every part may have. */
const SAMPLE = new TextEncoder().encode('1500000000000')

const NAMES = Object.keys(SLOT) as (keyof typeof SLOT)[] // keys of a literal object

const nameOf = (fields: FieldMap, key: string | undefined): keyof typeof SLOT | undefined =>
  key === undefined ? undefined : NAMES.find((name) => fields[name] === key)

/** The most numbers that a record of a feed has. */
export const numbersOf = (feed: FeedId): number => NAMES.filter((name) => FEEDS[feed].fields[name] !== undefined).length

/**
 * How records follow from the numbers between `parts`, which have these keys. Undefined if the scanner doesn't read
 * such a text. If it does, it reads every text with these parts whose numbers are valid JSON, without a sign where the
 * record has them, and as `NumberKind` says.
 */
export function templateShape(
  feed: FeedId,
  parts: readonly Uint8Array[],
  keys: readonly (string | undefined)[],
): TemplateShape | undefined {
  // Numbers in lists have no key, and the scanner reads only some of them.
  if (keys.includes(undefined)) return undefined
  const names = keys.map((key) => nameOf(FEEDS[feed].fields, key))
  const slots = names.flatMap((name): number[] => (name === undefined ? [] : [SLOT[name]]))
  const found = CODECS[feed].shapeOf(textOf(parts))
  if (found?.seen !== slots.reduce((seen, slot) => seen | (1 << slot), 0)) return undefined
  return {
    shape: { ...found, place: -1, slots },
    kinds: names.map((name) => (name === undefined ? null : KINDS[name])),
  }
}

/** The parts with a number between each two of them. */
function textOf(parts: readonly Uint8Array[]): Uint8Array {
  const text: number[] = []
  for (const [i, part] of parts.entries()) {
    if (i > 0) text.push(...SAMPLE)
    for (const byte of part) text.push(byte)
  }
  return Uint8Array.from(text)
}
