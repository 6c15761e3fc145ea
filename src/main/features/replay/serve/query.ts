/** The parameters of a replay's addresses: which part of the session, and how fast. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { ReplaySpeed } from '../../../../shared/features/replay/replay.ts'
import { FEED_IDS, isFeedId, type FeedId } from '../../../../shared/base/units.ts'
import { INSTANT_HELP, parseInstant } from '../../../command-line/times.ts'

/** Speeds that a replay takes besides `max`. */
export const SLOWEST = 0.25
export const FASTEST = 1_000

/** A clock of a client's own, on the address of its socket. */
export interface OwnClock {
  /** Receive times, [from, to), UTC ms; undefined: the whole session. */
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  /** Undefined: the speed of the server. */
  readonly speed: ReplaySpeed | undefined
}

/** A change of the shared clock; what is absent stays. `atMs`: receive time, UTC ms. */
export interface ClockChange {
  readonly playing?: boolean
  readonly speed?: ReplaySpeed
  readonly atMs?: number
}

/** A request for lines. */
export interface LineQuery extends OwnClock {
  readonly sessions: readonly string[]
  readonly feeds: readonly FeedId[]
  readonly symbols: readonly string[]
}

const CLOCK_PARAMETERS = ['from', 'to', 'speed']
const LINE_PARAMETERS = ['session', 'feed', 'symbol', ...CLOCK_PARAMETERS]

const usage = (message: string): CodedError => new CodedError('usage', message)

/** Reads a speed; undefined if it isn't one. */
export function parseSpeed(text: string): ReplaySpeed | undefined {
  if (text === 'max') return 'max'
  const speed = Number(text)
  return text.trim() !== '' && speed >= SLOWEST && speed <= FASTEST ? speed : undefined
}

/** Reads an instant as the command line does, in UTC. Throws CodedError `usage`. */
export function readInstant(name: string, text: string, nowMs: number): number {
  const ms = parseInstant(text, { nowMs, zone: 'UTC' })
  if (ms === undefined) throw usage(`"${name}" takes ${INSTANT_HELP}, not "${text}".`)
  return ms
}

function checkNames(params: URLSearchParams, known: readonly string[]): void {
  for (const name of params.keys()) {
    if (!known.includes(name)) throw usage(`There is no parameter "${name}". There are: ${known.join(', ')}.`)
  }
  // The last of two times would be ignored without a word.
  const twice = CLOCK_PARAMETERS.find((name) => params.getAll(name).length > 1)
  if (twice !== undefined) throw usage(`"${twice}" can be given once.`)
}

function readClock(params: URLSearchParams, nowMs: number): OwnClock {
  const time = (name: string): number | undefined => {
    const text = params.get(name)
    return text === null ? undefined : readInstant(name, text, nowMs)
  }
  const text = params.get('speed')
  const speed = text === null ? undefined : parseSpeed(text)
  if (text !== null && speed === undefined)
    throw usage(`"speed" takes a number from ${SLOWEST} to ${FASTEST}, or max, not "${text}".`)
  const [fromMs, toMs] = [time('from'), time('to')]
  if (fromMs !== undefined && toMs !== undefined && toMs <= fromMs) throw usage('"to" must be after "from".')
  return { fromMs, toMs, speed }
}

/** Reads the parameters of a socket's address. Null: it has none, so it shares the server's clock. Throws `usage`. */
export function readOwnClock(params: URLSearchParams, nowMs: number): OwnClock | null {
  checkNames(params, CLOCK_PARAMETERS)
  return params.size === 0 ? null : readClock(params, nowMs)
}

/** Reads the parameters of `GET /replay`. Throws CodedError `usage`. */
export function readLineQuery(params: URLSearchParams, nowMs: number): LineQuery {
  checkNames(params, LINE_PARAMETERS)
  const feeds = params.getAll('feed').map((feed) => {
    if (!isFeedId(feed)) throw usage(`There is no feed "${feed}". There are: ${FEED_IDS.join(', ')}.`)
    return feed
  })
  return {
    ...readClock(params, nowMs),
    sessions: params.getAll('session'),
    feeds: feeds.length === 0 ? FEED_IDS : feeds,
    symbols: params.getAll('symbol'),
  }
}
