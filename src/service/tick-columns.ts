/** The columns of Tapedeck's own tick tables, shared by export and import. Scripts depend on these names. */
import type { FeedId } from '../shared/base/units.ts'
import { FEEDS, type FieldMap } from './feeds.ts'

/** 1: named as in the messages. 2: whole words, the same in every format. */
export type TickSchema = 1 | 2

type NumberPart = Exclude<keyof FieldMap, 'symbol' | 'time'>

/** The column of each part of a message in schema 2. */
const LONG_NAMES: Readonly<Record<NumberPart, string>> = {
  price: 'price',
  size: 'size',
  bid: 'bid',
  ask: 'ask',
  bidSize: 'bid_size',
  askSize: 'ask_size',
  open: 'open',
  high: 'high',
  low: 'low',
  close: 'close',
  volume: 'volume',
  start: 'start_ms',
  end: 'end_ms',
}

/** A column of numbers from the message. */
export interface TickField {
  readonly name: string
  /** The message's JSON key. */
  readonly key: string
  readonly part: NumberPart
  /** Schema 2: a time, written in ms whatever its unit in the message. */
  readonly isTime: boolean
}

/** The number columns of a feed, in the order of the feed table. */
export function tickFields(feed: FeedId, schema: TickSchema): readonly TickField[] {
  const { fields } = FEEDS[feed]
  return Object.entries<string>({ ...fields })
    .filter(([part]) => part !== 'symbol' && part !== 'time')
    .map(([name, key]) => {
      const part = name as NumberPart // as filtered above
      const isTime = schema === 2 && (part === 'start' || part === 'end')
      return { name: schema === 1 ? key : LONG_NAMES[part], key, part, isTime }
    })
}

/** The first columns of a CSV of each schema. */
const CSV_LEAD: Readonly<Record<TickSchema, readonly string[]>> = {
  1: ['feed', 'symbol', 'event_ms', 'event_iso', 'recv_ms', 'recv_iso', 'seq'],
  2: ['feed', 'symbol', 'event_time', 'recv_time', 'event_ms', 'recv_ms', 'seq'],
}

/** Header cells of a CSV of a feed's ticks. `raw` adds each message as it arrived. */
export function csvTickColumns(feed: FeedId, raw: boolean, schema: TickSchema): readonly string[] {
  return [...CSV_LEAD[schema], ...tickFields(feed, schema).map(({ name }) => name), ...(raw ? ['raw'] : [])]
}
