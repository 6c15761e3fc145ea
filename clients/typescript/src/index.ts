/** Client of Tapedeck's local API (`tapedeck serve --api`), for Node 22 and later. */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A refusal or failure. `code` is stable, the message a sentence, `hint` says what to do next. */
export class TapedeckError extends Error {
  readonly code: string
  readonly hint: string | undefined
  constructor(code: string, message: string, hint?: string) {
    super(hint === undefined ? message : `${message} ${hint}`)
    this.name = 'TapedeckError'
    this.code = code
    this.hint = hint
  }
}

/** ISO 8601, epoch ms, or a text such as `today` or `-1h`, in UTC. */
export type Time = string | number

export interface Session {
  readonly session: string
  readonly source: string
  readonly started: string
  readonly ended: string | null
  readonly clean: boolean
  readonly corrupt: boolean
  readonly messages: number
  readonly bytes: number
  /** Without the ordinary ones at the start and end of a session. */
  readonly gap_count: number
  readonly name: string
  readonly live: boolean
}

export interface Gap {
  readonly session: string
  readonly feed: string
  readonly cause: string
  readonly symbols: readonly string[]
  readonly from: string
  readonly to: string | null
  readonly seconds: number | null
}

/** A row of ticks or bars, with the columns of `tapedeck/ticks/2` or `tapedeck/bars/2`. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

export interface ReplayState {
  readonly replay: string
  readonly sessions: readonly string[]
  readonly from: string
  readonly to: string
  readonly at: string
  readonly playing: boolean
  readonly speed: number | 'max'
  readonly ended: boolean
}

export type LiveMessage =
  | { readonly type: 'subscribed'; readonly feed: string; readonly symbols: readonly string[] }
  | {
      readonly type: 'tick'
      readonly feed: string
      readonly symbol: string
      readonly seq: number
      readonly recv_ms: number
      readonly event_ms?: number
      readonly price?: number
      readonly size?: number
      readonly bid?: number
      readonly ask?: number
      readonly open?: number
      readonly high?: number
      readonly low?: number
      readonly close?: number
      readonly volume?: number
    }
  /** So many ticks were dropped here, because this program was too slow. */
  | { readonly type: 'lost'; readonly messages: number }
  | {
      readonly type: 'gap'
      readonly feed: string
      readonly cause: string | null
      readonly from_ms: number
      readonly to_ms: number | null
    }
  | { readonly type: 'error'; readonly code: string; readonly message: string }

export interface RowQuery {
  readonly symbols?: readonly string[]
  readonly sessions?: readonly string[]
  readonly source?: string
  readonly from?: Time
  readonly to?: Time
}

export interface BarQuery extends RowQuery {
  readonly interval?: string
  readonly of?: 'trade' | 'bid' | 'ask' | 'mid' | 'service'
}

type Value = string | number | boolean | readonly string[] | undefined
const NAMES: Readonly<Record<string, string>> = { symbols: 'symbol', sessions: 'session' }

function queryText(given: Readonly<Record<string, Value>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value])
      query.append(NAMES[name] ?? name, String(one))
  }
  return query.size === 0 ? '' : `?${query.toString()}`
}

const OFFLINE_HINT = 'Check that tapedeck serve --api is running.'

const unexpected = (message: string): TapedeckError =>
  new TapedeckError('unexpected-answer', message, 'Check that the address is Tapedeck’s.')

/** Undefined: it isn't JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const truncated = (what: 'answer' | 'stream', cause?: unknown): TapedeckError =>
  Object.assign(new TapedeckError('truncated', `The ${what} ended early.`, 'Ask for it again.'), { cause })

/** What a client takes at most: a server that never ends would use up the memory. */
export interface Limits {
  /** How long Tapedeck has to accept a live stream, ms. */
  readonly acceptMs: number
  /** How long an accepted live stream may be quiet before Tapedeck is asked, and how long it then has to answer, ms. */
  readonly answerMs: number
  /** Bytes of an answer that isn't a stream. */
  readonly answerBytes: number
  /** Characters of a row. */
  readonly rowLength: number
  /** Characters of a live message. */
  readonly messageLength: number
  /** Characters of live messages other than ticks that wait until the program takes them. */
  readonly waitingLength: number
}

/** More than any answer has. */
const LIMITS: Limits = {
  acceptMs: 60_000,
  answerMs: 60_000,
  answerBytes: 1 << 28,
  rowLength: 1 << 27,
  messageLength: 1 << 24,
  waitingLength: 1 << 26,
}
const MAX_FAILURE_BYTES = 1 << 16

/** A body as text. Throws `unexpected-answer` if it is longer than allowed. */
async function textOf({ body }: Response, longest: number): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const piece of wholeBody(body, 'answer')) {
    size += piece.length
    if (size > longest) throw unexpected('The answer is too long.')
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

/** A field of an answer that is an object. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value === 'object' && value !== null && name in value) return (value as Record<string, unknown>)[name]
  throw unexpected(`The answer has no “${name}”.`)
}

/** The headers of which an answer has one if its end can be told from a lost connection. */
const FRAMES = ['content-length', 'transfer-encoding']

/** The pieces of a body. Throws `truncated` if it ends early. */
async function* wholeBody(body: Response['body'], what: 'answer' | 'stream'): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  try {
    for (;;) {
      const next = await reader?.read().catch((cause: unknown) => {
        throw truncated(what, cause)
      })
      if (next === undefined || next.done) return
      yield next.value
    }
  } finally {
    await reader?.cancel().catch(() => undefined) // the stream may have failed
  }
}

/** Tapedeck's folder, as Tapedeck finds it. */
function defaultHome(): string {
  const { env, platform } = process
  if (env['TAPEDECK_HOME']) return env['TAPEDECK_HOME']
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Tapedeck')
  if (platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Tapedeck')
  return join(env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'tapedeck')
}

export class Tapedeck {
  readonly baseUrl: string
  readonly #token: string
  readonly #limits: Limits

  constructor(baseUrl: string, token: string, limits: Partial<Limits> = {}) {
    this.baseUrl = baseUrl
    this.#token = token
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Reads address and token from `api.json` in Tapedeck's folder. Rejects with `not-found`. */
  static async connect(home: string = defaultHome(), limits: Partial<Limits> = {}): Promise<Tapedeck> {
    const file = join(home, 'api.json')
    const text = await readFile(file, 'utf8').catch(() => {
      throw new TapedeckError('not-found', `There is no ${file}.`, 'Start tapedeck serve --api first.')
    })
    const found = parse(text) as { base_url?: unknown; token?: unknown } | undefined
    if (typeof found?.base_url === 'string' && typeof found.token === 'string')
      return new Tapedeck(found.base_url, found.token, limits)
    throw new TapedeckError('not-found', `There is no address in ${file}.`, 'Start tapedeck serve --api first.')
  }

  async sessions(): Promise<readonly Session[]> {
    return fieldOf(await this.#json('GET', '/v1/sessions'), 'sessions') as Session[]
  }

  /** A session by its ID or the start of it. */
  session(name = 'latest'): Promise<Session> {
    return this.#json('GET', `/v1/sessions/${encodeURIComponent(name)}`)
  }

  async gaps(query: Omit<RowQuery, 'symbols'> & { readonly feed?: string } = {}): Promise<readonly Gap[]> {
    return fieldOf(await this.#json('GET', `/v1/gaps${queryText({ ...query })}`), 'gaps') as Gap[]
  }

  /** Ticks as they are read. `after`: only those after this seq of one session. Throws `truncated` if the stream ends early. */
  ticks(feed: string, query: RowQuery & { readonly raw?: boolean; readonly after?: number } = {}): AsyncGenerator<Row> {
    return this.#rows(`/v1/ticks${queryText({ feed, ...query })}`)
  }

  bars(feed: string, query: BarQuery = {}): AsyncGenerator<Row> {
    return this.#rows(`/v1/bars${queryText({ feed, ...query })}`)
  }

  /** A stream of bytes: CSV or Parquet of ticks or bars. */
  async table(
    what: 'ticks' | 'bars',
    feed: string,
    format: 'csv' | 'parquet',
    query: BarQuery = {},
  ): Promise<Response> {
    return this.#request('GET', `/v1/${what}${queryText({ feed, format, ...query })}`)
  }

  openReplay(sessions: readonly string[] = ['latest'], at?: Time): Promise<ReplayState> {
    return this.#json('POST', '/v1/replays', { sessions, ...(at === undefined ? {} : { at: String(at) }) })
  }

  replay(id: string): Promise<ReplayState> {
    return this.#json('GET', `/v1/replays/${encodeURIComponent(id)}`)
  }

  controlReplay(
    id: string,
    { at, ...change }: { readonly playing?: boolean; readonly speed?: number | 'max'; readonly at?: Time },
  ): Promise<ReplayState> {
    const body = { ...change, ...(at === undefined ? {} : { at: String(at) }) }
    return this.#json('POST', `/v1/replays/${encodeURIComponent(id)}`, body)
  }

  async closeReplay(id: string): Promise<void> {
    await this.#request('DELETE', `/v1/replays/${encodeURIComponent(id)}`)
  }

  /** Live messages. Taking one grants new credit, so a slow program is sent no more than it can take. */
  async *live(feed: string, symbols: readonly string[], credit = 1_000): AsyncGenerator<LiveMessage> {
    const { acceptMs, answerMs, messageLength, waitingLength } = this.#limits
    // Node's WebSocket takes headers, which the type of a browser's doesn't know.
    const init = { headers: { authorization: `Bearer ${this.#token}` } } as unknown as string[]
    const socket = new WebSocket(`${this.baseUrl.replace(/^http/, 'ws')}/v1/stream`, init)
    const waiting: { readonly message: LiveMessage; readonly size: number }[] = []
    /** Ticks that may still be sent, and characters of other messages that wait. */
    let [due, unread] = [credit, 0]
    let over: TapedeckError | undefined
    /** Fires when nothing has come for a while. A quiet market isn't a lost connection, but Tapedeck answers. */
    let quiet: NodeJS.Timeout | undefined
    let isAsked = false
    let wake = (): void => undefined
    const end = (error: TapedeckError): void => {
      over ??= error
      clearTimeout(quiet)
      socket.close()
      wake()
    }
    const take = (text: string): void => {
      if (text.length > messageLength) return end(unexpected('A message of the live stream is too long.'))
      const message = parse(text) as LiveMessage | null | undefined
      if (typeof message !== 'object' || message === null)
        return end(unexpected('A message of the live stream isn’t JSON.'))
      // An answer to this client, and nothing for the program.
      if ((message as { readonly type: unknown }).type === 'pong') return
      const isTick = message.type === 'tick'
      if (isTick) due -= 1
      else unread += text.length
      if (due < 0 || unread > waitingLength)
        return end(unexpected('The live stream sends more than this program can take.'))
      waiting.push({ message, size: isTick ? 0 : text.length })
      wake()
    }
    socket.addEventListener('message', ({ data }) => {
      // Nothing after a fault is taken, or waits.
      if (over !== undefined) return
      isAsked = false
      quiet?.refresh()
      take(String(data))
    })
    const late = setTimeout(() => {
      end(new TapedeckError('offline', `${this.baseUrl} didn’t accept the live stream in time.`, OFFLINE_HINT))
    }, acceptMs)
    const listen = (): void => {
      if (isAsked) return end(new TapedeckError('offline', `${this.baseUrl} doesn’t answer.`, OFFLINE_HINT))
      isAsked = true
      send({ op: 'ping' })
      quiet?.refresh()
    }
    const lost = () => end(new TapedeckError('offline', 'The live stream was lost.', OFFLINE_HINT))
    socket.addEventListener('close', lost)
    socket.addEventListener('error', lost)
    const send = (message: object): void => socket.send(JSON.stringify(message))
    socket.addEventListener('open', () => {
      clearTimeout(late)
      quiet = setTimeout(listen, answerMs)
      send({ op: 'credit', messages: credit })
      send({ op: 'subscribe', feed, symbols })
    })
    let used = 0
    try {
      for (;;) {
        const next = waiting.shift()
        if (next === undefined) {
          if (over !== undefined) throw over
          await new Promise<void>((resolve) => (wake = resolve))
          continue
        }
        const { message, size } = next
        unread -= size
        if (message.type === 'tick') used += 1
        yield message
        if (used * 2 >= credit) {
          send({ op: 'credit', messages: used })
          due += used
          used = 0
        }
      }
    } finally {
      clearTimeout(late)
      end(new TapedeckError('offline', 'The live stream was closed.'))
    }
  }

  async #request(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}` },
      // Tapedeck redirects nowhere.
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw Object.assign(new TapedeckError('offline', `Couldn’t reach ${this.baseUrl}.`, OFFLINE_HINT), { cause })
    })
    if (response.ok) {
      const isFramed = response.status === 204 || FRAMES.some((name) => response.headers.has(name))
      if (isFramed) return response
      await response.body?.cancel()
      // An answer that is cut off would look whole.
      throw unexpected('The answer doesn’t say where it ends.')
    }
    const refusal = parse(await textOf(response, MAX_FAILURE_BYTES)) as
      | { error?: Partial<TapedeckError> }
      | null
      | undefined
    const { code, message, hint } = refusal?.error ?? {}
    if (typeof code !== 'string' || typeof message !== 'string') throw unexpected(`The answer was ${response.status}.`)
    throw new TapedeckError(code, message, hint)
  }

  async #json<T>(method: string, path: string, body?: object): Promise<T> {
    const value = parse(await textOf(await this.#request(method, path, body), this.#limits.answerBytes))
    if (value === undefined) throw unexpected('The answer isn’t JSON.')
    return value as T
  }

  async *#rows(path: string): AsyncGenerator<Row> {
    const { body, headers } = await this.#request('GET', path)
    const kind = headers.get('content-type') ?? 'nothing'
    if (kind !== 'application/x-ndjson') {
      await body?.cancel()
      throw unexpected(`The answer is ${kind}, not application/x-ndjson.`)
    }
    const decoder = new TextDecoder()
    let rest = ''
    for await (const piece of wholeBody(body, 'stream')) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > this.#limits.rowLength) throw unexpected('A line of the answer is too long.')
      for (const line of lines) {
        const row = parse(line)
        if (row === undefined) throw unexpected('A line of the answer isn’t JSON.')
        yield row as Row
      }
    }
    if (rest + decoder.decode() !== '') throw truncated('stream')
  }
}
