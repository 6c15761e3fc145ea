/**
 * Reads a response of unknown shape as tables and facts. Records are found in arrays of objects, objects of arrays,
 * arrays of tuples, and objects keyed by time or name, inside any envelope. Everything else is a fact with its key.
 * Nothing is omitted or invented.
 */
import { csvRecords } from './csv.ts'
import { parseValue } from './parse.ts'
import { titleOf } from './titles.ts'
import { isTimeKey, isTimeLine, numberOf, periodOf, timeOf, typeOf, type ColumnType } from './types.ts'
import {
  entriesOf,
  isList,
  isObject,
  distinctNames,
  isScalar,
  jsonText,
  objectOf,
  own,
  scalarText,
  type Scalar,
  type Value,
  type ValueObject,
} from './value.ts'

export interface Column {
  /** The path within a record: keys joined by dots, or the index in a tuple. */
  readonly key: string
  readonly title: string
  readonly type: ColumnType
}

/** Records in the order of the response. A cell with a list or an object is its JSON text. */
export interface Table {
  /** The path in the response, such as `data.articles`; '' is the root. */
  readonly path: string
  readonly columns: readonly Column[]
  readonly rows: number
  cell(row: number, column: number): Scalar
}

/** Named values of one place in the response. */
export interface Facts {
  readonly path: string
  readonly entries: readonly {
    readonly key: string
    readonly title: string
    readonly type: ColumnType
    readonly value: Scalar
  }[]
}

export interface Reading {
  readonly tables: readonly Table[]
  readonly facts: readonly Facts[]
  /** The whole value, for the raw view. Undefined if the text is neither JSON nor CSV. */
  readonly value: Value | undefined
  readonly form: 'json' | 'csv' | 'text'
}

const DEEPEST = 8
const DEEPEST_IN_RECORD = 3
const MAX_COLUMNS = 200
const SAMPLE = 2_000
/** Longer tuples are lists of values, not records. */
const LONGEST_TUPLE = 16
/** The column with an object's keys, if they are names or times. */
const KEY_COLUMN = 'key'
/** The column with what a record has beyond MAX_COLUMNS, as JSON. */
const REST_COLUMN = 'more'

/** Reads the text of a response. Never throws. */
export function readResponse(text: string): Reading {
  const value = parseValue(text)
  if (value === undefined) {
    const records = csvRecords(text)
    if (records === undefined) return { tables: [], facts: [], value: undefined, form: 'text' }
    return { tables: [tableOf('', records, undefined)], facts: [], value: records, form: 'csv' }
  }
  const tables: Table[] = []
  const facts: Facts[] = []
  walk(value, '', 0, tables, facts)
  return { tables, facts, value, form: 'json' }
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

function walk(value: Value, path: string, depth: number, tables: Table[], facts: Facts[]): void {
  if (isScalar(value)) {
    facts.push({ path: '', entries: [fact(path || 'value', value)] })
    return
  }
  const table = asTable(value, path)
  if (table !== undefined) {
    tables.push(table)
    // Values next to column lists describe all of them, such as a symbol or a currency.
    if (isObject(value) && Object.values(value).some(isList)) addFacts(value, path, facts)
    return
  }
  if (isList(value)) {
    if (value.length > 0 && value.every(isScalar)) {
      tables.push(
        tableOf(
          path,
          value.map((one) => ({ value: one })),
          undefined,
        ),
      )
    } else if (depth < DEEPEST) {
      const alone = value.flatMap((one, i) => (isScalar(one) ? [fact(String(i), one)] : []))
      if (alone.length > 0) facts.push({ path, entries: alone })
      for (const [i, one] of value.entries())
        if (!isScalar(one)) walk(one, join(path, String(i)), depth + 1, tables, facts)
    } else facts.push({ path, entries: [fact('value', jsonText(value))] })
    return
  }
  addFacts(value, path, facts)
  for (const [key, one] of entriesOf(value)) {
    if (isScalar(one)) continue
    if (depth < DEEPEST) walk(one, join(path, key), depth + 1, tables, facts)
    else facts.push({ path: join(path, key), entries: [fact(key, jsonText(one))] })
  }
}

/** Adds the scalars of an object as facts. */
function addFacts(value: ValueObject, path: string, facts: Facts[]): void {
  const entries = entriesOf(value).flatMap(([key, one]) => (isScalar(one) ? [fact(key, one)] : []))
  if (entries.length > 0) facts.push({ path, entries })
}

const fact = (key: string, value: Scalar) => ({ key, title: titleOf(key), type: typeOf(key, [value]), value })

function asTable(value: readonly Value[] | ValueObject, path: string): Table | undefined {
  if (isList(value)) {
    const records = value.filter(isObject)
    if (records.length > 0 && records.length >= value.length / 2) {
      return tableOf(
        path,
        value.map((one) => (isObject(one) ? one : { value: one })),
        undefined,
      )
    }
    const tuples = value.filter(isList)
    if (tuples.length < 2 || tuples.length !== value.length) return undefined
    const width = Math.max(...tuples.map((tuple) => tuple.length))
    if (width < 2 || width > LONGEST_TUPLE || !tuples.every((tuple) => tuple.every(isScalar))) return undefined
    const [first, ...rest] = tuples
    const named =
      first.length === width &&
      first.every((one) => typeof one === 'string' && Number.isNaN(numberOf(one)) && Number.isNaN(timeOf(one)))
    const names = named
      ? distinctNames(first.map((one) => scalarText(one as string))) // named: every one is a string
      : Array.from({ length: width }, (_, i) => String(i))
    const rows = named ? rest : tuples
    const isTimeFirst = !named && isTimeLine(rows.map((tuple) => tuple[0] ?? null))
    return tableOf(
      path,
      rows.map((tuple) => objectOf(names.map((name, i) => [name, tuple[i] ?? null]))),
      undefined,
      isTimeFirst ? names[0] : undefined,
    )
  }
  return columnar(value, path) ?? keyed(value, path)
}

/** An object of equally long lists, such as candles {t: […], c: […]}. */
function columnar(value: ValueObject, path: string): Table | undefined {
  const lists = entriesOf(value).filter((entry): entry is [string, readonly Value[]] => isList(entry[1]))
  const length = lists[0]?.[1].length ?? 0
  if (lists.length < 2 || length < 2) return undefined
  if (!lists.every(([, list]) => list.length === length && list.every(isScalar))) return undefined
  const rest = entriesOf(value).filter(([, one]) => !isList(one))
  if (!rest.every(([, one]) => isScalar(one))) return undefined
  return tableOf(
    path,
    Array.from({ length }, (_, i) => objectOf(lists.map(([key, list]) => [key, list[i]]))),
    undefined,
  )
}

/** An object keyed by times, or by the names of records with one shape. */
function keyed(value: ValueObject, path: string): Table | undefined {
  const entries = entriesOf(value)
  if (entries.length < 2) return undefined
  const byTime = entries.every(([key]) => isTimeKey(key))
  const objects = entries.filter((entry): entry is [string, ValueObject] => isObject(entry[1]))
  if (byTime && entries.every(([, one]) => isScalar(one))) {
    return tableOf(
      path,
      entries.map(([, one]) => ({ value: one })),
      entries.map(([key]) => key),
    )
  }
  if (objects.length !== entries.length) return undefined
  if (!byTime && !sameShape(objects.map(([, one]) => one))) return undefined
  return tableOf(
    path,
    objects.map(([, one]) => one),
    objects.map(([key]) => key),
  )
}

/** Whether records share most of their keys and contain values rather than more records. */
function sameShape(objects: readonly ValueObject[]): boolean {
  const counts = new Map<string, number>()
  for (const object of objects) for (const key of Object.keys(object)) counts.set(key, (counts.get(key) ?? 0) + 1)
  const shared = [...counts.values()].filter((n) => n > objects.length / 2).length
  const flat = objects.every((object) => Object.values(object).some(isScalar))
  return objects.length >= 3 && flat && shared > 0 && shared >= counts.size / 2
}

/** A table of records. `keys`: the names or times they were keyed by. `timeKey`: a column of times. */
function tableOf(
  path: string,
  records: readonly ValueObject[],
  keys: readonly string[] | undefined,
  timeKey?: string,
): Table {
  const paths = new Map<string, readonly string[]>()
  for (const record of records) {
    if (paths.size > MAX_COLUMNS) break
    collect(record, [], paths)
  }
  const isWhole = paths.size <= MAX_COLUMNS
  const places = [...paths.values()].slice(0, isWhole ? MAX_COLUMNS : MAX_COLUMNS - 1)
  const shown = new Set(places.map((place) => JSON.stringify(place)))
  const step = Math.max(1, Math.floor(records.length / SAMPLE))
  function* sample(place: readonly string[] | null): Generator<Scalar> {
    for (let i = 0; i < records.length; i += step) yield place === null ? (keys?.[i] ?? null) : at(records[i], place)
  }
  const columns: Column[] = places.map((place) => {
    const key = place.join('.')
    return { key, title: titleOf(key), type: key === timeKey ? 'instant' : typeOf(key, sample(place)) }
  })
  if (!isWhole) columns.push({ key: REST_COLUMN, title: titleOf(REST_COLUMN), type: 'text' })
  if (keys !== undefined) {
    const time = keys.every(isTimeKey)
    columns.unshift({
      key: KEY_COLUMN,
      title: time ? 'Date' : 'Name',
      type: time ? typeOf('date', sample(null)) : 'text',
    })
  }
  const shift = keys === undefined ? 0 : 1
  return {
    path,
    columns,
    rows: records.length,
    cell(row, column) {
      if (column < shift) return keys?.[row] ?? null
      const place = places[column - shift] as readonly string[] | undefined // the column behind them has none
      if (place !== undefined) return at(records[row], place)
      const rest = without(records[row], [], shown)
      return rest === undefined ? null : jsonText(rest)
    },
  }
}

/** What a record contains besides the shown paths, or undefined if nothing. */
function without(record: ValueObject, before: readonly string[], shown: ReadonlySet<string>): ValueObject | undefined {
  const entries = entriesOf(record).flatMap(([key, value]): (readonly [string, Value])[] => {
    const place = [...before, key]
    if (!isSpread(value, place)) return shown.has(JSON.stringify(place)) ? [] : [[key, value]]
    const rest = without(value, place, shown)
    return rest === undefined ? [] : [[key, rest]]
  })
  return entries.length === 0 ? undefined : objectOf(entries)
}

/** Whether a value has columns for its parts instead of one column. */
function isSpread(value: Value | undefined, place: readonly string[]): value is ValueObject {
  return isObject(value) && place.length < DEEPEST_IN_RECORD && Object.keys(value).length > 0
}

function collect(record: ValueObject, before: readonly string[], into: Map<string, readonly string[]>): void {
  for (const [key, value] of entriesOf(record)) {
    const place = [...before, key]
    if (isSpread(value, place)) collect(value, place, into)
    // Collects one more than is shown, so that the caller knows that there are more.
    else if (into.size <= MAX_COLUMNS) into.set(JSON.stringify(place), place)
  }
}

function at(record: ValueObject, place: readonly string[]): Scalar {
  let value: Value | undefined = record
  for (const key of place) value = isObject(value) ? own(value, key) : undefined
  // A record can have a value where others have parts with columns of their own.
  if (value === undefined || isSpread(value, place)) return null
  return isScalar(value) ? value : jsonText(value)
}

/** The columns to chart if a table has times and numbers, or null. */
export function chartOf(table: Table): { readonly time: number; readonly values: readonly number[] } | null {
  const time = table.columns.findIndex(({ type }) => type === 'date' || type === 'instant' || type === 'period')
  if (time < 0 || table.rows < 2) return null
  const values = table.columns.flatMap(({ type, key }, i) =>
    (type === 'number' || type === 'percent') && !/(^|[._])(id|cik|year|isin|cusip)$/i.test(key) ? [i] : [],
  )
  return values.length === 0 ? null : { time, values }
}

/** The sort value of a cell; NaN sorts last. Text is compared as text. */
export function orderOf(type: ColumnType, value: Scalar): number | string {
  switch (type) {
    case 'number':
    case 'percent':
      return numberOf(value)
    case 'date':
    case 'instant':
      return timeOf(value)
    case 'period':
      return periodOf(value)
    case 'boolean':
      return value === null ? NaN : Number(value)
    case 'link':
    case 'text':
      return value === null ? NaN : scalarText(value)
  }
}
