/**
 * SHA-256 of large files, in a thread of its own: it is about a quarter of the time of an export. Files share the thread. It ends
 * when none has used it for a while, and never keeps the process alive.
 */
import { Worker } from 'node:worker_threads'
import { CodedError } from '../../../shared/base/errors.ts'

/** The first bytes of some memory. */
export interface Piece {
  readonly memory: Uint8Array<ArrayBuffer>
  readonly length: number
}

/** A digest in the making. */
export interface ThreadHash {
  /** Hashes a piece after those before. Resolves with its memory, which can't be used meanwhile. */
  update(piece: Piece): Promise<Uint8Array<ArrayBuffer>>
  /** The digest in hex. Nothing may follow. */
  digest(): Promise<string>
  /** Forgets it, unless `digest` was called. */
  drop(): void
}

/** How long the thread waits for another file. */
const IDLE_MS = 10_000

/** A text, because a module would have to be found in each bundle. `buffer` is missing from the last message of a file. */
const SOURCE = `
const { parentPort } = require('node:worker_threads')
const { createHash } = require('node:crypto')
const hashes = new Map()
parentPort.on('message', ({ file, buffer, length, isDropped }) => {
  const hash = hashes.get(file) ?? createHash('sha256')
  if (buffer === undefined) {
    hashes.delete(file)
    if (!isDropped) parentPort.postMessage({ file, digest: hash.digest('hex') })
    return
  }
  hashes.set(file, hash.update(new Uint8Array(buffer, 0, length)))
  parentPort.postMessage({ file, buffer }, [buffer])
})`

type Reply = { readonly file: number } & ({ readonly buffer: ArrayBuffer } | { readonly digest: string })

interface Waiting {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

/** The thread and the calls that wait for it, in the order in which it replies. */
class HashThread {
  readonly #thread = new Worker(SOURCE, { eval: true, name: 'hash' })
  readonly #waiting: Waiting[] = []
  readonly #files = new Set<number>()
  readonly #onEnd: () => void
  #idle: NodeJS.Timeout | undefined

  /** `onEnd`: no new file may use it. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
    const end = (cause: unknown): void => {
      onEnd()
      clearTimeout(this.#idle)
      const error = new CodedError('internal', 'The thread that hashes files ended.', { cause })
      for (const { reject } of this.#waiting.splice(0)) reject(error)
    }
    this.#thread.on('message', (reply: Reply) => this.#waiting.shift()?.resolve(reply)) // sends only replies
    this.#thread.on('error', end)
    this.#thread.on('exit', end)
    this.#thread.unref()
  }

  begin(file: number): void {
    clearTimeout(this.#idle)
    this.#files.add(file)
  }

  call(file: number, message: { readonly buffer?: ArrayBuffer; readonly length?: number }): Promise<Reply> {
    // A process that waits for a digest must not end.
    this.#thread.ref()
    return new Promise<Reply>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#thread.postMessage({ file, ...message }, message.buffer === undefined ? [] : [message.buffer])
    }).finally(() => {
      if (this.#waiting.length === 0) this.#thread.unref()
    })
  }

  end(file: number, isDropped: boolean): void {
    if (!this.#files.delete(file)) return
    if (isDropped) this.#thread.postMessage({ file, isDropped })
    if (this.#files.size > 0) return
    this.#idle = setTimeout(() => {
      this.#onEnd()
      void this.#thread.terminate()
    }, IDLE_MS).unref()
  }
}

let shared: HashThread | undefined
let files = 0

/** Begins a digest. The first one starts the thread. A call rejects with `internal` if the thread ended. */
export function createThreadHash(): ThreadHash {
  const thread: HashThread = (shared ??= new HashThread(() => {
    if (shared === thread) shared = undefined
  }))
  const file = files++
  thread.begin(file)
  return {
    async update({ memory, length }) {
      const reply = await thread.call(file, { buffer: memory.buffer, length })
      if (!('buffer' in reply)) throw new TypeError('a piece was answered with a digest')
      return new Uint8Array(reply.buffer)
    },
    async digest() {
      const reply = await thread.call(file, {})
      thread.end(file, false)
      if (!('digest' in reply)) throw new TypeError('a digest was answered with a piece')
      return reply.digest
    },
    drop: () => thread.end(file, true),
  }
}
