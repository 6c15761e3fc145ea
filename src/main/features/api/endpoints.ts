/**
 * The endpoints of the local API: one table that routing, the checks of parameters, and the OpenAPI file derive from.
 * `handlers.ts` has a function for each.
 */
import { BAR_SOURCES, INTERVAL_EXAMPLES } from '../../../shared/core/market/market.ts'
import { FEED_IDS } from '../../../shared/base/units.ts'
import type { SchemaName } from './schemas.ts'

/** Where rows come as a stream: what each format is called in HTTP. */
export const ROW_FORMATS = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
} as const
export type RowFormat = keyof typeof ROW_FORMATS

export interface Parameter {
  readonly type: 'text' | 'time' | 'whole' | 'flag'
  readonly docs: string
  /** Default: optional. */
  readonly isRequired?: true
  /** It may repeat. */
  readonly isList?: true
  readonly choices?: readonly string[]
}

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With names of path parameters in braces. */
  readonly path: string
  readonly summary: string
  readonly query?: Readonly<Record<string, Parameter>>
  /** What the body holds. */
  readonly body?: SchemaName
  /** What is answered: JSON of this shape, a stream of rows, or nothing (204). */
  readonly answer:
    | { readonly is: 'json'; readonly of: SchemaName }
    | { readonly is: 'rows' }
    | { readonly is: 'nothing' }
}

const feed: Parameter = { type: 'text', docs: 'The feed.', choices: FEED_IDS }
const needed: Parameter = { ...feed, isRequired: true }
const session: Parameter = { type: 'text', isList: true, docs: 'Only these sessions: IDs, starts of IDs, or `latest`.' }
const symbol: Parameter = { type: 'text', isList: true, docs: 'Only these symbols, by any alias.' }
const from: Parameter = { type: 'time', docs: 'From this event time on.' }
const to: Parameter = { type: 'time', docs: 'Before this event time.' }
const source: Parameter = { type: 'text', docs: 'The source, if several recorded the feed.' }
const format: Parameter = { type: 'text', docs: 'Default: `jsonl`.', choices: Object.keys(ROW_FORMATS) }
const json = (of: SchemaName): Endpoint['answer'] => ({ is: 'json', of })

const ENDPOINTS = {
  info: { method: 'GET', path: '/v1', summary: 'The version, and what is watched and recorded.', answer: json('Info') },
  openapi: {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'This description, as OpenAPI 3.1.',
    answer: json('Document'),
  },
  sessions: {
    method: 'GET',
    path: '/v1/sessions',
    summary: 'Recorded sessions, oldest first.',
    answer: json('Sessions'),
  },
  session: {
    method: 'GET',
    path: '/v1/sessions/{session}',
    summary: 'One session, by its ID, the start of it, or `latest`.',
    answer: json('Session'),
  },
  gaps: {
    method: 'GET',
    path: '/v1/gaps',
    summary: 'Intervals that weren’t received, with their causes.',
    query: { feed, session, source, from, to },
    answer: json('Gaps'),
  },
  symbols: {
    method: 'GET',
    path: '/v1/symbols',
    summary: 'Symbols of a feed that were recorded, as the service writes them.',
    query: { feed: needed, session, source },
    answer: json('Symbols'),
  },
  ticks: {
    method: 'GET',
    path: '/v1/ticks',
    summary: 'Recorded ticks of a feed (tapedeck/ticks/2), streamed.',
    query: {
      feed: needed,
      symbol,
      session,
      source,
      from,
      to,
      format,
      after: { type: 'whole', docs: 'Only ticks after this `seq` of the one session that is named by its ID.' },
      raw: { type: 'flag', docs: 'Add each message as it was received.' },
    },
    answer: { is: 'rows' },
  },
  bars: {
    method: 'GET',
    path: '/v1/bars',
    summary: 'Bars of a feed’s symbols (tapedeck/bars/2), streamed.',
    query: {
      feed: needed,
      symbol,
      session,
      source,
      from,
      to,
      interval: { type: 'text', docs: `Any length from 100ms to 1D, such as ${INTERVAL_EXAMPLES}. Default: \`1m\`.` },
      of: { type: 'text', docs: 'What bars are built from. Default: what the feed carries.', choices: BAR_SOURCES },
      format,
    },
    answer: { is: 'rows' },
  },
  replays: {
    method: 'GET',
    path: '/v1/replays',
    summary: 'Open replays, also those of windows.',
    answer: json('Replays'),
  },
  openReplay: {
    method: 'POST',
    path: '/v1/replays',
    summary: 'Open sessions of one source as a replay, paused.',
    body: 'NewReplay',
    answer: json('Replay'),
  },
  replay: { method: 'GET', path: '/v1/replays/{replay}', summary: 'The state of a replay.', answer: json('Replay') },
  controlReplay: {
    method: 'POST',
    path: '/v1/replays/{replay}',
    summary: 'Play, pause, seek, or change the speed.',
    body: 'ReplayChange',
    answer: json('Replay'),
  },
  closeReplay: {
    method: 'DELETE',
    path: '/v1/replays/{replay}',
    summary: 'Close a replay.',
    answer: { is: 'nothing' },
  },
  alerts: { method: 'GET', path: '/v1/alerts', summary: 'Alerts with their states.', answer: json('Alerts') },
  addAlert: { method: 'POST', path: '/v1/alerts', summary: 'Add an alert.', body: 'AlertDraft', answer: json('Alert') },
  changeAlert: {
    method: 'PUT',
    path: '/v1/alerts/{alert}',
    summary: 'Replace an alert, which arms it again.',
    body: 'AlertDraft',
    answer: json('Alert'),
  },
  removeAlert: { method: 'DELETE', path: '/v1/alerts/{alert}', summary: 'Delete an alert.', answer: { is: 'nothing' } },
  alertEvents: {
    method: 'GET',
    path: '/v1/alert-events',
    summary: 'What alerts did, newest first.',
    query: {
      alert: { type: 'text', docs: 'Only events of this alert.' },
      before: { type: 'whole', docs: 'Only events before the one with this ID, for the next page.' },
      limit: { type: 'whole', docs: 'At most this many, up to 500. Default: 100.' },
    },
    answer: json('AlertEvents'),
  },
} as const satisfies Readonly<Record<string, Endpoint>>

export type EndpointId = keyof typeof ENDPOINTS

/** The endpoints as rows of one type. */
export const ENDPOINT_LIST: readonly (readonly [EndpointId, Endpoint])[] = Object.entries(ENDPOINTS) as [
  EndpointId,
  Endpoint,
][] // keys of a literal object

/** Parameters of a request, checked against its row. Times are UTC ms. */
export interface Parameters {
  text(name: string): string | undefined
  list(name: string): readonly string[]
  number(name: string): number | undefined
  flag(name: string): boolean
}
