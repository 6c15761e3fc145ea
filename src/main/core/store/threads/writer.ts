/** A StoreWriter over a thread, or over a loop in the caller's thread for tools and tests. */
import type { MessagePort } from 'node:worker_threads'
import { CodedError, toFailure, type Failure } from '../../../../shared/base/errors.ts'
import type { FeedCounts, GapCause, Source } from '../../../../shared/core/recording/session.ts'
import type { SessionId, UnixMs } from '../../../../shared/base/units.ts'
import type { ReplayBookmark } from '../../../../shared/features/replay/replay.ts'
import { Listeners } from '../../../../shared/base/listeners.ts'
import { newSessionId } from '../types/session-id.ts'
import type { Batch } from '../types/messages.ts'
import type { LibraryWriter, StoreNotice, WriterEvent } from '../types/writer.ts'
import type { NewBookmark, NewSnapshot } from '../types/replay.ts'
import type { StoreLibrary } from '../types/library.ts'
import type { StoreReplicas } from '../types/replica.ts'
import { StoreEngine } from './engine.ts'
import { batchBytes } from '../format/message-columns.ts'
import { createLibrary } from './library-calls.ts'
import { buffersOf, Caller, failureError, type Call } from '../rpc/rpc.ts'
import { openInThread, startThread, waitForThread } from '../rpc/thread.ts'
import { WriterLoop } from './writer-loop.ts'
import type { WriterMethods, WriterReply, WriterRequest } from './writer-methods.ts'

/** How long `end` waits for a failing disk. */
const PATIENCE_MS = 3_000

const THREAD = { name: 'writer', hint: 'It is restarting.' }

/** A running writer: a thread, or a loop in the caller's thread. */
interface Backend {
  post(request: WriterRequest, transfer: ArrayBuffer[]): void
  stop(): Promise<void>
}

/** Opens the writer. Rejects with `store-locked`, `store-newer`, `store-damaged` or a disk error. */
export async function openWriter(
  file: string,
  worker: URL | undefined,
  onNotice: (notice: StoreNotice) => void = () => undefined,
): Promise<LibraryWriter> {
  const writer = new BackendWriter(file, worker, onNotice)
  await writer.open()
  return writer
}

/** Opens the store and serves the thread's port until `close`. */
export function serveWriter(port: MessagePort, file: string): void {
  const engine = openInThread(port, () => new StoreEngine(file))
  if (engine === null) return
  const reply = (message: WriterReply, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)
  const loop = new WriterLoop(engine, (message, transfer) => {
    reply(message, transfer)
    if (message.is === 'died') port.close() // ends the thread
  })
  // The port carries only what the writer sends.
  port.on('message', (request: WriterRequest) => {
    loop.handle(request)
    // The loop replies `done` in this turn or a later one. After that only the port would keep the thread alive.
    if (request.method === 'close') port.unref()
  })
  reply({ is: 'opened', notices: engine.notices })
}

class BackendWriter implements LibraryWriter {
  readonly library: StoreLibrary
  readonly replicas: StoreReplicas
  readonly #file: string
  readonly #worker: URL | undefined
  readonly #onNotice: (notice: StoreNotice) => void
  readonly #listeners = new Listeners<[event: WriterEvent]>()
  readonly #caller = new Caller<WriterMethods>((request, transfer) => this.#backend?.post(request, transfer))
  /** Why sessions that the next `begin` closes have lost their end. */
  readonly #causes = new Map<SessionId, GapCause>()
  #backend: Backend | null = null
  /** Number of the current backend. What an earlier one still sends is ignored. */
  #generation = 0
  #current: SessionId | null = null
  #backlogBytes = 0
  #isClosing = false
  #trouble: Failure | null = null

  constructor(file: string, worker: URL | undefined, onNotice: (notice: StoreNotice) => void) {
    this.#file = file
    this.#worker = worker
    this.#onNotice = onNotice
    this.library = createLibrary(this.#call)
    this.replicas = {
      open: async (about) => {
        const starting = this.#restart()
        if (starting !== null) await starting
        return this.#call('openReplica', [about])
      },
      append: (id, batches, heads) => {
        const transfer = [...new Set(batches.flatMap(({ messages }) => buffersOf(messages)))]
        return this.#call('appendReplica', [id, batches, heads], { transfer })
      },
      end: (id, end) => this.#call('endReplica', [id, end]),
    }
  }

  async open(): Promise<void> {
    try {
      await this.#start()
    } catch (thrown) {
      this.#generation++
      throw thrown
    }
  }

  async begin(source: Source, startedMs: UnixMs, id = newSessionId(startedMs)): Promise<SessionId> {
    this.#current = id
    const starting = this.#restart()
    if (starting !== null) await starting
    await this.#call('begin', [id, source, startedMs, new Map(this.#causes)])
    this.#causes.clear()
    return id
  }

  append(batch: Batch): void {
    if (this.#backend === null) return
    const bytes = batchBytes(batch)
    this.#backlogBytes += bytes
    this.#caller.send('append', [batch, bytes], buffersOf(batch.messages))
  }

  get backlogBytes(): number {
    return this.#backlogBytes
  }

  onEvent(listener: (event: WriterEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  snapshot(snapshot: NewSnapshot): void {
    const { session = this.#current } = snapshot
    if (session === null || session !== this.#current) return
    this.#caller.send('snapshot', [{ ...snapshot, session }], buffersOf(snapshot))
  }

  addBookmark(bookmark: NewBookmark): Promise<ReplayBookmark> {
    return this.#call('addBookmark', [bookmark])
  }

  removeBookmark(id: number): Promise<boolean> {
    return this.#call('removeBookmark', [id])
  }

  async end(endedMs: UnixMs, counts: readonly FeedCounts[]): Promise<void> {
    this.#current = null
    if (this.#backend === null) return
    const ended = this.#call('end', [endedMs, counts])
    await Promise.race([ended, this.#rejectWhenStuck(ended)])
  }

  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    if (this.#backend !== null) {
      await this.#call('close', []).catch(() => undefined)
      this.#generation++
      await this.#backend?.stop()
    }
    this.#backend = null
    // A request sent while the thread was closing gets no reply, so its caller would wait forever.
    this.#caller.rejectAll(new CodedError('cancelled', 'The store was closed.'))
  }

  readonly #call: Call<WriterMethods> = (...args) =>
    this.#backend === null
      ? Promise.reject(new CodedError('disk-error', 'The store’s writer thread ended unexpectedly.'))
      : this.#caller.call(...args)

  /** Starts a backend unless one is running. Returns null if the caller needn't wait. */
  #restart(): Promise<void> | null {
    if (this.#backend !== null || this.#isClosing) return null
    const opened = this.#start() // messages sent before the store is open wait at the port
    if (this.#hasBackend()) opened.catch(() => undefined) // reported by `died` and by the rejected call
    return this.#hasBackend() ? null : opened
  }

  #hasBackend(): boolean {
    return this.#backend !== null
  }

  /** Starts a backend. Resolves when the store is open; without one the store couldn't be opened. */
  async #start(): Promise<void> {
    const generation = ++this.#generation
    const onReply = (reply: WriterReply): void => {
      if (generation === this.#generation) this.#receive(reply)
    }
    if (this.#worker === undefined) {
      const engine = new StoreEngine(this.#file)
      onReply({ is: 'opened', notices: engine.notices })
      const loop = new WriterLoop(engine, onReply)
      this.#backend = { post: (request) => loop.handle(request), stop: () => Promise.resolve() }
      return
    }
    const { thread, opened } = startThread<WriterReply>(this.#worker, this.#file, THREAD, {
      onReply,
      onEnd: (error) => onReply({ is: 'died', failure: toFailure(error) }),
    })
    this.#backend = {
      post: (request, transfer) => thread.postMessage(request, transfer),
      stop: () => waitForThread(thread),
    }
    await opened
  }

  #receive(reply: WriterReply): void {
    switch (reply.is) {
      case 'opened':
        for (const notice of reply.notices) this.#onNotice(notice)
        return
      case 'done':
      case 'failed':
      case 'progress':
        return this.#caller.settle(reply)
      case 'committed':
        this.#backlogBytes -= reply.bytes
        return this.#emit(reply)
      case 'trouble':
      case 'recovered':
        this.#trouble = reply.is === 'trouble' ? reply.failure : null
        return this.#emit(reply)
      case 'died':
        this.#onDeath(reply.failure)
    }
  }

  #emit(event: WriterEvent): void {
    this.#listeners.call(event)
  }

  #onDeath(failure: Failure): void {
    if (this.#backend === null) return
    void this.#backend.stop() // not awaited: whatever the old backend still sends is ignored
    this.#backend = null
    this.#backlogBytes = 0
    if (this.#current !== null) this.#causes.set(this.#current, 'worker')
    this.#current = null
    this.#caller.rejectAll(failureError(failure))
    if (!this.#isClosing) this.#emit({ is: 'died', failure })
  }

  /** Rejects if the disk keeps failing, so that closing doesn't hang. The next start closes the open session. */
  #rejectWhenStuck(ended: Promise<void>): Promise<never> {
    return new Promise((_, reject) => {
      let waited = 0
      const timer = setInterval(() => {
        waited = this.#trouble === null ? 0 : waited + PATIENCE_MS / 10
        if (this.#trouble !== null && waited >= PATIENCE_MS) reject(failureError(this.#trouble))
      }, PATIENCE_MS / 10)
      const stop = (): void => clearInterval(timer)
      ended.then(stop, stop)
    })
  }
}
