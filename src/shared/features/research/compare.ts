/**
 * The differences between two responses to the same request, such as a statement and its restatement. Records of lists
 * are matched by what identifies them (an id, a symbol, a date), so that a new first record doesn't change every later
 * one. Pure.
 */
import type { Table } from './read.ts'
import {
  entriesOf,
  ExactNumber,
  isList,
  isObject,
  isScalar,
  jsonText,
  own,
  sameDecimal,
  scalarText,
  type Value,
} from './value.ts'

export interface Difference {
  /** From the root: `data.statements[date=2025-06-28].revenue`. */
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  /** As text with the digits that were sent, lists and objects as JSON; null if absent. */
  readonly before: string | null
  readonly after: string | null
}

/** The most differences to list. The rest are only counted. */
export const MAX_DIFFERENCES = 5_000

export interface Comparison {
  readonly differences: readonly Difference[]
  /** The number of differences that aren't listed. */
  readonly more: number
}

/** Differences from `before` to `after`, in the order of `after`. What was removed comes after its position. */
export function compareValues(before: Value, after: Value): Comparison {
  const found: Difference[] = []
  let more = 0
  const add = (path: string, kind: Difference['kind'], from: Value | undefined, to: Value | undefined): void => {
    if (found.length >= MAX_DIFFERENCES) more++
    else {
      const [old, now] = [textOf(from), textOf(to)]
      // A number that became a text with the same digits. Quotes show which is the text.
      const alike = old === now && from !== undefined && to !== undefined
      found.push({ path, kind, before: alike ? quoted(from) : old, after: alike ? quoted(to) : now })
    }
  }
  visit('', before, after, add)
  return { differences: found, more }
}

type Add = (path: string, kind: Difference['kind'], from: Value | undefined, to: Value | undefined) => void

function visit(path: string, before: Value, after: Value, add: Add): void {
  if (isObject(before) && isObject(after)) {
    for (const [key, to] of entriesOf(after)) {
      const from = own(before, key)
      if (from === undefined) add(below(path, key), 'added', undefined, to)
      else visit(below(path, key), from, to, add)
    }
    for (const [key, from] of entriesOf(before)) {
      if (own(after, key) === undefined) add(below(path, key), 'removed', from, undefined)
    }
    return
  }
  if (isList(before) && isList(after)) {
    lists(path, before, after, add)
    return
  }
  if (!same(before, after)) add(path === '' ? 'value' : path, 'changed', before, after)
}

function lists(path: string, before: readonly Value[], after: readonly Value[], add: Add): void {
  const name = namingKey(before, after)
  if (name !== null) {
    const old = new Map(before.map((one) => [nameOf(one, name), one]))
    const place = (key: string) => `${path}[${name}=${key}]`
    const fresh = new Set<string>()
    for (const one of after) {
      const key = nameOf(one, name)
      fresh.add(key)
      const from = old.get(key)
      if (from === undefined) add(place(key), 'added', undefined, one)
      else visit(place(key), from, one, add)
    }
    for (const [key, one] of old) if (!fresh.has(key)) add(place(key), 'removed', one, undefined)
    return
  }
  for (let i = 0; i < Math.max(before.length, after.length); i++) {
    const place = `${path}[${i}]`
    if (i >= before.length) add(place, 'added', undefined, after[i])
    else if (i >= after.length) add(place, 'removed', before[i], undefined)
    else visit(place, before[i], after[i], add)
  }
}

const NAMING = ['id', 'uuid', 'symbol', 'ticker', 'date', 'period_ending', 'period', 'timestamp', 't', 'name']

/** A key whose value is unique in both lists, or null. */
function namingKey(before: readonly Value[], after: readonly Value[]): string | null {
  if (before.length === 0 || after.length === 0) return null
  const tells = (list: readonly Value[], key: string): boolean => {
    const names = new Set<string>()
    for (const one of list) {
      const value = isObject(one) ? own(one, key) : undefined
      if (value === undefined || value === null || !isScalar(value)) return false
      names.add(scalarText(value))
    }
    return names.size === list.length
  }
  return NAMING.find((key) => tells(before, key) && tells(after, key)) ?? null
}

const nameOf = (one: Value, key: string): string => {
  const value = isObject(one) ? own(one, key) : undefined
  return value !== undefined && isScalar(value) ? scalarText(value) : ''
}

const below = (path: string, key: string): string => {
  const name = /^[^.[\]]+$/.test(key) ? key : JSON.stringify(key)
  return path === '' ? name : `${path}.${name}`
}

function same(a: Value, b: Value): boolean {
  if (isNumber(a) && isNumber(b)) return sameDecimal(a, b)
  return isScalar(a) && !(a instanceof ExactNumber) && a === b
}

const isNumber = (value: Value): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber

function textOf(value: Value | undefined): string | null {
  if (value === undefined) return null
  if (value === null) return 'null'
  return isScalar(value) ? scalarText(value) : jsonText(value)
}

const quoted = (value: Value): string => (typeof value === 'string' ? JSON.stringify(value) : (textOf(value) ?? ''))

export function differenceTable(differences: readonly Difference[]): Table {
  const keys = ['path', 'kind', 'before', 'after'] as const
  const titles = { path: 'Where', kind: 'What', before: 'Before', after: 'After' }
  return {
    path: '',
    columns: keys.map((key) => ({ key, title: titles[key], type: 'text' })),
    rows: differences.length,
    cell: (row, column) => differences[row][keys[column]],
  }
}
