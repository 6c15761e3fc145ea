/** What each endpoint of the API does. */
import { withSchema } from '../../base/json-schema.ts'
import * as v from 'valibot'
import { CodedError } from '../../../shared/base/errors.ts'
import { isFeedId, type FeedId } from '../../../shared/base/units.ts'
import { INTERVAL_EXAMPLES, parseInterval, type Interval } from '../../../shared/core/market/market.ts'
import type { ExportRequest } from '../../../shared/features/export/export.ts'
import { draftSchema, type AlertDraft } from '../../../shared/features/alerts/types.ts'
import type { ReplayState } from '../../../shared/features/replay/replay.ts'
import { matchesSource, type SessionRow } from '../../../shared/core/recording/session.ts'
import { isObject } from '../../../service/control.ts'
import { findSession } from '../../command-line/sessions.ts'
import { parseInstant } from '../../command-line/times.ts'
import { gapJson, sessionJson } from '../../core/recording/session-json.ts'
import { storedSymbols } from '../../core/recording/symbol-json.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { Alerts } from '../alerts/port.ts'
import type { Replays } from '../replay/replays.ts'
import { alertEventJson, alertJson, readNames } from './alert-json.ts'
import { openApi } from './documents.ts'
import type { EndpointId, Parameters, RowFormat } from './endpoints.ts'

/** What the handlers use of the terminal. */
export interface ApiSide {
  readonly reader: StoreReader
  readonly replays: Pick<Replays, 'open' | 'close' | 'play' | 'speed' | 'seek' | 'states'>
  readonly alerts: Pick<Alerts, 'list' | 'save' | 'remove' | 'history'>
  readonly info: () => { readonly version: string; readonly source: string; readonly recording: boolean }
  readonly wallMs: () => number
  /** Streams an export. Rejects before anything was written if it is refused. */
  readonly exportRows: (
    request: ExportRequest,
    write: (bytes: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>
}

/** An answer: JSON, a stream of rows, or nothing. */
export type Answer =
  | { readonly is: 'json'; readonly value: unknown }
  | { readonly is: 'rows'; readonly format: RowFormat; readonly request: ExportRequest }
  | { readonly is: 'nothing' }

export type Handler = (side: ApiSide, parameters: Parameters, body: unknown) => Promise<Answer> | Answer

const json = (value: unknown): Answer => ({ is: 'json', value })
const usage = (message: string): CodedError => new CodedError('usage', message)
const iso = (ms: number): string => new Date(ms).toISOString()

const replayJson = ({ id, source, sessions, fromMs, toMs, nowMs, problem, ...state }: ReplayState): object =>
  withSchema('open-replay', {
    replay: id,
    source,
    sessions: sessions.map(({ session }) => session),
    from: iso(fromMs),
    to: iso(toMs),
    at: iso(nowMs),
    playing: state.playing,
    speed: state.speed,
    ended: state.ended,
    exactness: state.exactness,
    problem: problem?.message ?? null,
  })

function replayOf({ replays }: ApiSide, parameters: Parameters): ReplayState {
  const id = parameters.text('replay') ?? ''
  const state = replays.states().find((one) => one.id === id)
  if (state !== undefined) return state
  throw new CodedError('not-found', `There is no replay "${id}".`, {
    hint: 'GET /v1/replays lists those that are open.',
  })
}

/** The sessions that a request names and that match its source. */
async function sessionsOf({ reader }: ApiSide, parameters: Parameters): Promise<readonly SessionRow[]> {
  const rows = await reader.sessions()
  const names = parameters.list('session')
  const source = parameters.text('source')
  const named = names.length === 0 ? rows : names.map((name) => findSession(rows, name))
  return source === undefined ? named : named.filter((row) => matchesSource(row.source, source))
}

function feedOf(parameters: Parameters): FeedId {
  const feed = parameters.text('feed') ?? ''
  if (isFeedId(feed)) return feed
  throw usage(`There is no feed "${feed}".`)
}

function intervalOf(parameters: Parameters): Interval {
  const text = parameters.text('interval') ?? '1m'
  const interval = parseInterval(text)
  if (interval === undefined) throw usage(`"interval" takes a length such as ${INTERVAL_EXAMPLES}, not "${text}".`)
  return interval
}

async function rows(side: ApiSide, parameters: Parameters, what: ExportRequest['what']): Promise<Answer> {
  const named = parameters.list('session').length === 0 ? [] : await sessionsOf(side, parameters)
  const afterSeq = parameters.number('after')
  // Each session has its own seqs, and the latest one may be another one at the next request.
  const isLatest = parameters.list('session').some((name) => name.toLowerCase() === 'latest')
  if (afterSeq !== undefined && (named.length !== 1 || isLatest))
    throw usage('"after" needs one "session", named by its ID.')
  const format = (parameters.text('format') ?? 'jsonl') as RowFormat // one of the row's choices
  return {
    is: 'rows',
    format,
    request: {
      what,
      feed: feedOf(parameters),
      symbols: parameters.list('symbol'),
      sessions: named.map(({ session }) => session),
      source: parameters.text('source') ?? null,
      fromMs: parameters.number('from') ?? null,
      toMs: parameters.number('to') ?? null,
      afterSeq,
      of: (parameters.text('of') ?? null) as ExportRequest['of'], // one of the row's choices
      interval: intervalOf(parameters),
      format,
      schema: 2,
      raw: parameters.flag('raw'),
      bom: false,
      separator: ',',
      split: 'none',
    },
  }
}

function readTime(text: unknown, side: ApiSide): number {
  const ms = typeof text === 'string' ? parseInstant(text, { nowMs: side.wallMs(), zone: 'UTC' }) : undefined
  if (ms === undefined) throw usage('"at" takes a time, such as 2026-01-05T09:30:00Z.')
  return ms
}

function readDraft(body: unknown): AlertDraft {
  const parsed = v.safeParse(draftSchema, readNames(body))
  if (parsed.success) return parsed.output
  const [first] = parsed.issues
  throw usage(`The alert isn’t valid: ${v.getDotPath(first) ?? 'body'}: ${first.message.slice(0, 160)}.`)
}

async function openReplay(side: ApiSide, body: unknown): Promise<Answer> {
  const names: readonly unknown[] = isObject(body) && Array.isArray(body.sessions) ? body.sessions : []
  if (names.length === 0 || !names.every((name) => typeof name === 'string'))
    throw usage('"sessions" is a list of sessions.')
  const atMs = isObject(body) && body.at !== undefined ? readTime(body.at, side) : null
  const all = await side.reader.sessions()
  const sessions = names.map((name) => findSession(all, name).session)
  return json(replayJson(await side.replays.open({ sessions, atMs })))
}

async function controlReplay(side: ApiSide, parameters: Parameters, body: unknown): Promise<Answer> {
  const { id } = replayOf(side, parameters)
  if (!isObject(body)) throw usage('The body is a JSON object with "playing", "speed" or "at".')
  const { playing, speed, at } = body
  if (speed !== undefined && speed !== 'max' && !(typeof speed === 'number' && speed >= 0.25 && speed <= 1_000))
    throw usage('"speed" is a number from 0.25 to 1000, or "max".')
  if (playing !== undefined && typeof playing !== 'boolean') throw usage('"playing" is true or false.')
  // Nothing is changed if one of them is wrong.
  const ms = at === undefined ? undefined : readTime(at, side)
  if (speed !== undefined) side.replays.speed(id, speed)
  if (ms !== undefined) await side.replays.seek(id, { at: 'ms', ms })
  if (playing !== undefined) side.replays.play(id, playing)
  return json(replayJson(replayOf(side, parameters)))
}

export const HANDLERS: Readonly<Record<EndpointId, Handler>> = {
  info: ({ info }) => json(withSchema('info', info())),
  openapi: () => json(openApi()),
  sessions: async ({ reader }) =>
    json(withSchema('sessions', { sessions: (await reader.sessions()).map(sessionJson) })),
  session: async ({ reader }, parameters) =>
    json(sessionJson(findSession(await reader.sessions(), parameters.text('session') ?? ''))),
  async gaps(side, parameters) {
    const chosen = new Set((await sessionsOf(side, parameters)).map(({ session }) => session))
    const feed = parameters.text('feed')
    const [fromMs, toMs] = [parameters.number('from'), parameters.number('to')]
    const gaps = await side.reader.gaps({
      ...(feed !== undefined && isFeedId(feed) ? { feed } : {}),
      ...(fromMs === undefined ? {} : { fromMs }),
      ...(toMs === undefined ? {} : { toMs }),
    })
    const found = gaps.filter(({ session }) => chosen.has(session))
    return json(withSchema('gaps', { gaps: found.map(gapJson) }))
  },
  async symbols(side, parameters) {
    const [feed, rows] = [feedOf(parameters), await sessionsOf(side, parameters)]
    const symbols: object[] = []
    for (const [source, named] of Map.groupBy(rows, (row) => row.source)) {
      const sessions = named.map(({ session }) => session)
      for await (const one of storedSymbols(side.reader, { feed, source, sessions })) symbols.push(one)
    }
    return json(withSchema('symbols', { symbols }))
  },
  ticks: (side, parameters) => rows(side, parameters, 'ticks'),
  bars: (side, parameters) => rows(side, parameters, 'bars'),
  replays: ({ replays }) => json(withSchema('replays', { replays: replays.states().map(replayJson) })),
  openReplay: (side, _parameters, body) => openReplay(side, body),
  replay: (side, parameters) => json(replayJson(replayOf(side, parameters))),
  controlReplay,
  async closeReplay(side, parameters) {
    await side.replays.close(replayOf(side, parameters).id)
    return { is: 'nothing' }
  },
  alerts: ({ alerts }) => json(withSchema('alerts', { alerts: alerts.list().map(alertJson) })),
  addAlert: async ({ alerts }, _parameters, body) => json(alertJson(await alerts.save(null, readDraft(body)))),
  changeAlert: async ({ alerts }, parameters, body) =>
    json(alertJson(await alerts.save(parameters.text('alert') ?? '', readDraft(body)))),
  async removeAlert({ alerts }, parameters) {
    const id = parameters.text('alert') ?? ''
    if (!alerts.list().some((one) => one.id === id)) throw new CodedError('not-found', 'There is no such alert.')
    await alerts.remove([id])
    return { is: 'nothing' }
  },
  alertEvents({ alerts }, parameters) {
    const limit = parameters.number('limit') ?? 100
    if (limit < 1 || limit > 500) throw usage('"limit" is a number from 1 to 500.')
    const { events, more } = alerts.history({
      alert: parameters.text('alert') ?? null,
      before: parameters.number('before') ?? null,
      limit,
    })
    return json(withSchema('alert-events', { events: events.map(alertEventJson), more }))
  },
}
