/**
 * What an update server may send, held while it is read. electron-updater gathers an answer until it ends, follows
 * redirections without counting them, and its timeouts never fire on Electron's network (it waits for a `socket`
 * event that does not come): a server that never ends would fill the memory of the process that records.
 */
import type { RequestOptions } from 'node:http'

export interface Bounds {
  /** Of a list of releases with its notes, bytes: reading it holds up the process that records. */
  readonly listBytes: number
  /** A whole list, with all redirections on the way to it; ms. */
  readonly listMs: number
  /** Of the map of a package's blocks, which is held in memory; bytes. */
  readonly mapBytes: number
  /** Of a package; bytes. */
  readonly packageBytes: number
  /** A download that receives nothing for this long fails, ms. */
  readonly idleMs: number
}

/** A package is some 120 MB, its map some 200 kB, a list some hundred bytes and its notes. */
export const BOUNDS: Bounds = {
  listBytes: 100_000,
  listMs: 30_000,
  mapBytes: 8e6,
  packageBytes: 500e6,
  idleMs: 60_000,
}

const MAX_REDIRECTIONS = 10

/** Why a response was cut off; `code` distinguishes the reasons. */
export class BoundsError extends Error {
  override readonly name = 'BoundsError'
  readonly code: 'ERR_UPDATE_ENDLESS' | 'ERR_UPDATE_SLOW' | 'ERR_UPDATE_REDIRECTED'

  constructor(code: BoundsError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** The common part of Node's and Electron's requests. */
interface Asking {
  emit(event: 'error', error: Error): unknown
  once(event: 'error' | 'abort', then: () => void): unknown
  abort(): void
}
interface Answer {
  on(event: 'data', then: (piece: Buffer | string) => void): unknown
  on(event: 'end' | 'error', then: () => void): unknown
}

/** What of electron-updater's network is needed here: the one place where every request is made. */
export interface Requests {
  createRequest(options: RequestOptions, callback: (response: Answer) => void): Asking
}

/** What was asked for once, however often it is redirected. */
interface Asked {
  readonly list: boolean
  readonly most: number
  readonly sinceMs: number
  requests: number
  bytes: number
}
const ASKED = Symbol('what this request is a part of')
/** Redirections copy the options of the request before, and our mark with them. */
type Marked = RequestOptions & { [ASKED]?: Asked }

function newlyAsked(path: string, bounds: Bounds): Asked {
  const [file = ''] = path.split('?')
  const list = /\.ya?ml$/.test(file)
  const most = list ? bounds.listBytes : file.endsWith('.blockmap') ? bounds.mapBytes : bounds.packageBytes
  return { list, most, sinceMs: performance.now(), requests: 0, bytes: 0 }
}

/** Limits every later request of an updater to `bounds`. */
export function boundRequests(requests: Requests, bounds: Bounds = BOUNDS): void {
  const create = requests.createRequest.bind(requests)
  requests.createRequest = (options: Marked, callback) => {
    const asked = (options[ASKED] ??= newlyAsked(options.path ?? '', bounds))
    let timer: ReturnType<typeof setTimeout> | undefined
    const rest = (): void => clearTimeout(timer)
    const wait = (): void => {
      rest()
      const ms = asked.list ? Math.max(0, asked.sinceMs + bounds.listMs - performance.now()) : bounds.idleMs
      timer = setTimeout(
        () => fail(new BoundsError('ERR_UPDATE_SLOW', 'The update server took too long to respond.')),
        ms,
      )
    }
    const request = create(options, (response) => {
      callback(response)
      // After theirs: theirs says how the pieces are given.
      response.on('data', (piece) => {
        asked.bytes += Buffer.byteLength(piece)
        if (asked.bytes > asked.most)
          fail(new BoundsError('ERR_UPDATE_ENDLESS', `The update server sent over ${asked.most} bytes.`))
        else if (!asked.list) wait()
      })
      response.on('end', rest)
      // They listen for it only where they read on.
      response.on('error', rest)
    })
    const fail = (error: BoundsError): void => {
      rest()
      // Emit the cause first: the error of an abort differs between network stacks.
      request.emit('error', error)
      request.abort()
    }
    request.once('error', rest)
    request.once('abort', rest)
    wait()
    asked.requests += 1
    if (asked.requests > MAX_REDIRECTIONS + 1) {
      // Not thrown: a redirection is followed in the midst of an event.
      queueMicrotask(() => fail(new BoundsError('ERR_UPDATE_REDIRECTED', 'The update server redirects in a circle.')))
    }
    return request
  }
}
