/** The HTTP side of the replay server: token endpoint, `GET /replay` as lines of JSON, and the shared clock. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Account } from '../../../../server/account.ts'
import type { StreamSlots } from '../../../../server/stream-slots.ts'
import { answerToken, readBody, sendJson, urlOf } from '../../../../server/http.ts'
import { isObject, parseJson } from '../../../../service/control.ts'
import { CodedError, toFailure, type ErrorCode } from '../../../../shared/base/errors.ts'
import type { Clock } from '../../../base/clock.ts'
import { LineOutlet } from './line-outlet.ts'
import { Playout, type ClockReport } from './playout.ts'
import { parseSpeed, readInstant, readLineQuery, type ClockChange } from './query.ts'
import { instrumentsOf, partsOf, rangeOf, type Moment, type Recorded } from './recorded.ts'

export interface HttpSide {
  readonly account: Account
  readonly recorded: Recorded
  /** Where the window's replay is that is served; null: all of the session is. */
  readonly shown: () => Moment | null
  readonly origins: () => readonly string[]
  readonly clock: Clock
  readonly clockReport: () => ClockReport
  readonly control: (change: ClockChange) => ClockReport
  /** Those that are running, so that they can be closed. */
  readonly playouts: Set<Playout>
  readonly slots: StreamSlots
}

/** The HTTP status of a failure. */
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = { usage: 400, 'not-found': 404, busy: 503 }

const usage = (message: string): CodedError => new CodedError('usage', message)

/** A change of the shared clock, as posted: `{"playing": true, "speed": 10, "at": "2026-01-05T09:30:00Z"}`. */
function readChange(body: unknown, nowMs: number): ClockChange {
  if (!isObject(body)) throw usage('The body must be a JSON object with "playing", "speed" or "at".')
  const unknown = Object.keys(body).find((key) => !['playing', 'speed', 'at'].includes(key))
  if (unknown !== undefined) throw usage(`There is no field "${unknown}". There are: playing, speed, at.`)
  const { playing, speed, at } = body
  if (playing !== undefined && typeof playing !== 'boolean') throw usage('"playing" is true or false.')
  const faster = speed === undefined ? undefined : parseSpeed(textOf(speed))
  if (speed !== undefined && faster === undefined) throw usage('"speed" is a number from 0.25 to 1000, or "max".')
  return {
    ...(playing === undefined ? {} : { playing }),
    ...(faster === undefined ? {} : { speed: faster }),
    ...(at === undefined ? {} : { atMs: readInstant('at', textOf(at), nowMs) }),
  }
}

/** Numbers as text; '' for what is neither a number nor a text, which no parameter accepts. */
const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const reportJson = ({ playing, speed, atMs, ended, fromMs, toMs }: ClockReport): object => ({
  playing,
  speed,
  at: new Date(atMs).toISOString(),
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
  ended,
})

/** Creates the handler of all requests except upgrades. Never rejects. */
export function createHttpHandler(
  side: HttpSide,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { account, recorded, clock } = side

  /** Pages of other sites, and host names that resolve to this address, get nothing. */
  const isForeign = ({ headers: { host, origin } }: IncomingMessage): boolean =>
    !side.origins().includes(`http://${host?.toLowerCase() ?? ''}`) ||
    (origin !== undefined && !side.origins().includes(origin))

  const isAllowed = ({ headers: { authorization } }: IncomingMessage): boolean =>
    account.holdsKey(authorization) || account.refuseToken(authorization) === undefined

  const lines = async (response: ServerResponse, params: URLSearchParams): Promise<void> => {
    const query = readLineQuery(params, clock.wallMs())
    // Read once: the parts of a replay in a window grow as it plays.
    const parts = partsOf(recorded.parts, query.sessions)
    const range = rangeOf(parts, query)
    const instruments = await instrumentsOf(recorded, query.feeds, query.symbols, side.shown())
    // The client may have left in the meantime.
    if (response.destroyed) return
    const slot = side.slots.take(response.req.socket)
    const outlet = new LineOutlet(
      response,
      { feeds: query.feeds, instruments },
      { moved: () => slot.moved(), ended: () => playout.close() },
    )
    const playout = new Playout({
      reader: recorded.reader,
      parts,
      range,
      speed: query.speed ?? 'max',
      loop: false,
      clock,
      outlet,
    })
    side.playouts.add(playout)
    const end = (): void => {
      slot.free()
      playout.close()
      outlet.abandon()
      side.playouts.delete(playout)
    }
    response.on('close', end)
    slot.signal.addEventListener('abort', end)
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
    playout.setPlaying(true)
    // A response that is cut short has no last chunk, so the client can't take it for the whole.
    playout.done.catch(() => response.destroy())
  }

  const own = async (request: IncomingMessage, response: ServerResponse, { pathname, searchParams }: URL) => {
    if (!isAllowed(request)) {
      return sendJson(
        response,
        401,
        { detail: 'The API key is missing or wrong. Send it as Authorization: Bearer KEY.' },
        { 'www-authenticate': 'Bearer' },
      )
    }
    const { method } = request
    if (pathname === '/replay' && method === 'GET') return lines(response, searchParams)
    if (pathname === '/replay/clock' && method === 'GET') return sendJson(response, 200, reportJson(side.clockReport()))
    if (pathname === '/replay/clock' && method === 'POST') {
      const change = readChange(parseJson((await readBody(request)) ?? ''), clock.wallMs())
      return sendJson(response, 200, reportJson(side.control(change)))
    }
    sendJson(response, 405, { detail: 'Method not allowed.' }, { allow: pathname === '/replay' ? 'GET' : 'GET, POST' })
  }

  return async (request, response) => {
    try {
      const url = urlOf(request)
      if (isForeign(request)) sendJson(response, 403, { detail: 'Only programs on this computer may connect.' })
      else if (url.pathname === '/api/token/') await answerToken(request, response, account)
      else if (url.pathname === '/replay' || url.pathname === '/replay/clock') await own(request, response, url)
      else sendJson(response, 404, { detail: 'Not found. A replay serves feeds, not REST data.' })
    } catch (thrown) {
      const { code, message, hint } = toFailure(thrown)
      if (response.headersSent) response.destroy()
      else {
        const status = STATUS[code] ?? 500
        sendJson(response, status, { detail: hint === undefined ? message : `${message} ${hint}` })
      }
    }
  }
}
