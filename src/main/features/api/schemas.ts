/** The shapes of the API's JSON, as JSON Schema: for the OpenAPI and AsyncAPI files, and for programs that check. */
import { schemaName } from '../../base/json-schema.ts'
import { GAP_CAUSES } from '../../../shared/core/recording/session.ts'
import { ALERT_ACTIONS } from '../../../shared/features/alerts/actions.ts'
import { ALERT_SOUNDS, conditionSchema } from '../../../shared/features/alerts/types.ts'
import { ERROR_CODES } from '../../../shared/base/errors.ts'
import { FEED_IDS } from '../../../shared/base/units.ts'
import { jsonSchemaOf, type JsonSchema } from './valibot-json.ts'

const text: JsonSchema = { type: 'string' }
const flag: JsonSchema = { type: 'boolean' }
const whole: JsonSchema = { type: 'integer' }
const number: JsonSchema = { type: 'number' }
const time: JsonSchema = { type: 'string', format: 'date-time' }
const perhaps = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema.type as string, 'null'] }) // of a single type
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const feed: JsonSchema = { type: 'string', enum: FEED_IDS }
const anything: JsonSchema = { type: 'object', additionalProperties: true }
const object = (properties: Readonly<Record<string, JsonSchema>>, ...optional: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})
export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
const speed: JsonSchema = { oneOf: [{ type: 'number' }, { const: 'max' }], description: '0.25 to 1000, or `max`.' }

const counts = object({
  feed,
  received: whole,
  decoded: whole,
  control: whole,
  undecodable: whole,
  unasked: whole,
  stored: whole,
})
const gap = object({
  schema: { const: schemaName('gap') },
  session: text,
  feed,
  cause: { type: 'string', enum: GAP_CAUSES },
  symbols: { ...list(text), description: 'Empty: every symbol of the feed.' },
  from: time,
  to: perhaps(time),
  seconds: perhaps(number),
})
/** Durations also have the names that the rest of the API has. Neither is required, since a client sends one of them. */
const withSeconds = ({ properties = {}, required = [], ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  properties: {
    ...properties,
    ...('withinMs' in properties ? { within_seconds: number } : {}),
    ...('afterMs' in properties ? { after_seconds: number } : {}),
  },
  required: required.filter((name) => !name.endsWith('Ms')),
})
const draft = {
  instrument: { ...text, description: 'Such as `crypto:BTCUSD`.' },
  condition: {
    description: 'Send either name of a duration.',
    oneOf: conditionSchema.options.map((option) => withSeconds(jsonSchemaOf(option))),
  },
  repeat: {
    oneOf: [
      { type: 'null' },
      {
        ...object({ rest_seconds: number, back_percent: number, restMs: whole, backPercent: number }),
        required: [],
        description: 'Send either name of each.',
      },
    ],
  },
  expires: { ...perhaps(time), description: 'With its zone. Send this or `expiresMs`.' },
  expiresMs: { ...perhaps(number), description: 'UTC ms.' },
  note: text,
  sound: { type: 'string', enum: ALERT_SOUNDS },
  system: flag,
  log: flag,
  flash: flag,
  enabled: flag,
  action: { type: 'string', enum: ALERT_ACTIONS },
} as const
/** Fields of a draft that have two names or may be left out. */
const optionalInDraft = ['expires', 'expiresMs', 'action'] as const

export const SCHEMAS = {
  Document: anything,
  Error: object({ error: object({ code: { type: 'string', enum: ERROR_CODES }, message: text, hint: text }, 'hint') }),
  Info: object({
    schema: { const: schemaName('info') },
    version: text,
    source: { type: 'string', enum: ['demo', 'service', 'team'] },
    recording: flag,
  }),
  Session: object({
    schema: { const: schemaName('session') },
    session: text,
    source: text,
    started: time,
    ended: perhaps(time),
    clean: flag,
    corrupt: { ...flag, description: 'Found corrupt by the last verification, or when messages were compressed.' },
    feeds: list(counts),
    messages: whole,
    bytes: whole,
    gap_count: whole,
    gaps: list(reference('Gap')),
    symbols: whole,
    live: flag,
    imported: flag,
    name: text,
    notes: text,
    tags: list(text),
    pinned: flag,
    binned: perhaps(time),
  }),
  Sessions: object({ schema: { const: schemaName('sessions') }, sessions: list(reference('Session')) }),
  Gap: gap,
  Gaps: object({ schema: { const: schemaName('gaps') }, gaps: list(reference('Gap')) }),
  Symbol: object({
    schema: { const: schemaName('symbol') },
    feed,
    symbol: { ...text, description: 'The newest of its aliases.' },
    aliases: list(text),
    instrument: text,
    source: text,
    messages: whole,
    from: perhaps(time),
    to: perhaps(time),
  }),
  Symbols: object({
    schema: { const: schemaName('symbols') },
    symbols: list(reference('Symbol')),
  }),
  NewReplay: object({ sessions: list(text), at: { ...text, description: 'A time; default: the start.' } }, 'at'),
  ReplayChange: object({ playing: flag, speed, at: text }, 'playing', 'speed', 'at'),
  Replay: object({
    schema: { const: schemaName('open-replay') },
    replay: text,
    source: text,
    sessions: list(text),
    from: time,
    to: time,
    at: time,
    playing: flag,
    speed,
    ended: flag,
    exactness: { ...anything, description: 'Whether its state equals what live had, by the digest of each minute.' },
    problem: perhaps(text),
  }),
  Replays: object({ schema: { const: schemaName('replays') }, replays: list(reference('Replay')) }),
  AlertDraft: object(draft, ...optionalInDraft),
  Alert: {
    ...object(
      {
        schema: { const: schemaName('saved-alert') },
        id: text,
        ...draft,
        created: time,
        last_fired: perhaps(time),
        fired_of: perhaps(text),
        snoozed_until: perhaps(time),
        state: { ...anything, description: 'With `since` or `until`, if it has one.' },
      },
      'action',
    ),
    additionalProperties: true,
  },
  Alerts: object({ schema: { const: schemaName('alerts') }, alerts: list(reference('Alert')) }),
  AlertEvents: object({
    schema: { const: schemaName('alert-events') },
    events: list({
      ...object({ id: whole, is: text, at: time, atMs: number }),
      additionalProperties: true,
    }),
    more: flag,
  }),
} as const satisfies Readonly<Record<string, JsonSchema>>

export type SchemaName = keyof typeof SCHEMAS

/** Messages of the live stream that a client sends. */
export const CLIENT_MESSAGES = {
  subscribe: {
    summary: 'Receive ticks of these symbols of a feed. They are subscribed at the service, and recorded.',
    schema: object({ op: { const: 'subscribe' }, feed, symbols: list(text) }),
  },
  unsubscribe: {
    summary: 'No longer receive these.',
    schema: object({ op: { const: 'unsubscribe' }, feed, symbols: list(text) }),
  },
  credit: {
    summary: 'Allow this many more ticks. A new connection has none.',
    schema: object({ op: { const: 'credit' }, messages: whole }),
  },
  ping: {
    summary: 'Ask whether Tapedeck still answers, for programs whose WebSocket has no pings.',
    schema: object({ op: { const: 'ping' } }),
  },
} as const satisfies Readonly<Record<string, { readonly summary: string; readonly schema: JsonSchema }>>

/** Messages of the live stream that Tapedeck sends. */
export const SERVER_MESSAGES = {
  subscribed: {
    summary: 'All symbols of a feed that this connection receives, after each change.',
    schema: object({ type: { const: 'subscribed' }, feed, symbols: list(text) }),
  },
  tick: {
    summary: 'A decoded record, in the order it was received. Takes one credit. Absent values are left out.',
    schema: {
      ...object(
        {
          type: { const: 'tick' },
          feed,
          symbol: text,
          seq: { ...whole, description: 'Its position in the session; 0 while nothing is recorded.' },
          recv_ms: number,
          event_ms: number,
          price: number,
          size: number,
          bid: number,
          ask: number,
          bid_size: number,
          ask_size: number,
          open: number,
          high: number,
          low: number,
          close: number,
          volume: number,
          start_ms: number,
          end_ms: number,
        },
        ...[
          'event_ms',
          'price',
          'size',
          'bid',
          'ask',
          'bid_size',
          'ask_size',
          'open',
          'high',
          'low',
          'close',
          'volume',
        ],
        ...['start_ms', 'end_ms'],
      ),
    },
  },
  pong: {
    summary: 'The answer to a ping. It may overtake messages that wait.',
    schema: object({ type: { const: 'pong' } }),
  },
  lost: {
    summary: 'This many ticks were dropped here, because the connection had no credit for too long.',
    schema: object({ type: { const: 'lost' }, messages: whole }),
  },
  gap: {
    summary: 'A feed isn’t received (`to_ms` null), or is again.',
    schema: object({
      type: { const: 'gap' },
      feed,
      cause: perhaps(text),
      symbols: list(text),
      from_ms: number,
      to_ms: perhaps(number),
    }),
  },
  error: {
    summary: 'A message that wasn’t understood. The connection stays open.',
    schema: object({ type: { const: 'error' }, code: text, message: text, hint: text }, 'hint'),
  },
} as const satisfies Readonly<Record<string, { readonly summary: string; readonly schema: JsonSchema }>>
