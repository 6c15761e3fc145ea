/**
 * Limits what an update server may send. electron-updater buffers a response until it ends, follows redirects without
 * counting them, and its timeouts never fire on Electron's network stack (it waits for a `socket` event that never
 * comes). So a server that never stops sending would fill the memory of the process that records.
 */
import type { RequestOptions } from 'node:http'

export interface Bounds {
  /** Largest list of releases with its notes, bytes: parsing it blocks the process that records. */
  readonly listBytes: number
  /** Longest time for a list, including all redirects, ms. */
  readonly listMs: number
  /** Largest block map of a package, which is held in memory, bytes. */
  readonly mapBytes: number
  /** Largest package, bytes. */
  readonly packageBytes: number
  /** A download that receives nothing for this long fails, ms. */
  readonly idleMs: number
}

/** A package has about 120 MB, its block map about 200 kB, and a list a few hundred bytes plus its notes. */
export const BOUNDS: Bounds = {
  listBytes: 100_000,
  listMs: 30_000,
  mapBytes: 8e6,
  packageBytes: 500e6,
  idleMs: 60_000,
}

const MAX_REDIRECTIONS = 10

/** Why a response was cut off; `code` distinguishes the reasons. */
class BoundsError extends Error {
  override readonly name = 'BoundsError'
  readonly code: 'ERR_UPDATE_ENDLESS' | 'ERR_UPDATE_SLOW' | 'ERR_UPDATE_REDIRECTED'

  constructor(code: BoundsError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** What Node's and Electron's requests have in common. */
interface Asking {
  emit(event: 'error', error: Error): unknown
  once(event: 'error' | 'abort', then: () => void): unknown
  abort(): void
}
interface Answer {
  on(event: 'data', then: (piece: Buffer | string) => void): unknown
  on(event: 'end' | 'error', then: () => void): unknown
}

/** The part of electron-updater's network code that is used here: every request is created by it. */
export interface Requests {
  createRequest(options: RequestOptions, callback: (response: Answer) => void): Asking
}

/** One download with all its redirects. */
interface Asked {
  readonly list: boolean
  readonly most: number
  readonly sinceMs: number
  requests: number
  bytes: number
}
const ASKED = Symbol('what this request is a part of')
/** A redirect copies the options of the request before it, and this mark with them. */
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
      // After electron-updater's own listener, which sets the encoding.
      response.on('data', (piece) => {
        asked.bytes += Buffer.byteLength(piece)
        if (asked.bytes > asked.most)
          fail(new BoundsError('ERR_UPDATE_ENDLESS', `The update server sent over ${asked.most} bytes.`))
        else if (!asked.list) wait()
      })
      response.on('end', rest)
      // electron-updater adds its own listener only while it reads the response.
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
      // Not thrown synchronously, because a redirect is followed inside an event handler.
      queueMicrotask(() => fail(new BoundsError('ERR_UPDATE_REDIRECTED', 'The update server redirects in a loop.')))
    }
    return request
  }
}
