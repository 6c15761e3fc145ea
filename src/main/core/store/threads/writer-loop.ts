/**
 * The writer's loop: requests in order, background work between them, and retries while the disk is full or failing.
 * Runs in the writer's thread, or in the caller's for tools and tests.
 */
import type { Failure } from '../../../../shared/base/errors.ts'
import { unixMs, type SessionId } from '../../../../shared/base/units.ts'
import type { CommitResult, StoreEngine } from './engine.ts'
import type { Responder } from '../library/import.ts'
import { OwnershipLost } from '../schema/ownership.ts'
import { isDiskError, storeFailure } from '../schema/sqlite.ts'
import type { Batch } from '../types/messages.ts'
import { buffersOf, isCanceled, type Reply } from '../rpc/rpc.ts'
import type { WriterReply, WriterRequest } from './writer-methods.ts'

const TURN_MS = 3
/** Pause between turns of work that isn't urgent, because receiving and drawing need the processor more. */
const PAUSE_MS = 6
const RETRY_MS = 250
const IDLE_MS = 250
/** Pause after background work failed in a way that waiting may not fix. */
const BACKGROUND_RETRY_MS = 5_000
/**
 * Sessions left open by a crash are closed by the next begin, or after this long without one, because recording may be
 * off.
 */
const RECOVER_AFTER_MS = 1_000
/** Maximum batches per transaction. */
const MAX_BATCHES = 64
/**
 * A commit of this size indicates a burst. The processor is left to receiving, and sealing waits until the burst is
 * over or the journal reaches the limit below.
 */
const BURST_BYTES = 128 << 10
const BURST_MS = 20
const MAX_BURST_JOURNAL_BYTES = 64 << 20

/** Requests handled in the order they came. */
type QueuedRequest = Extract<WriterRequest, { method: 'begin' | 'append' | 'end' | 'close' }>

type QueuedBatch = Extract<QueuedRequest, { method: 'append' }>

/** The part of the writer that can fail: commits of received messages, or background work. */
type Duty = 'flush' | 'background'

/** Runs requests over an engine. */
export class WriterLoop {
  readonly #engine: StoreEngine
  readonly #reply: (reply: WriterReply, transfer?: ArrayBuffer[]) => void
  readonly #queue: QueuedRequest[] = []
  readonly #ending: { readonly call: number; readonly key: SessionId }[] = []
  /** What is failing. Reported once, and cleared when both work again. */
  readonly #failing = new Set<Duty>()
  readonly #openedAt = performance.now()
  #hasBegun = false
  #isClosed = false
  #isAwake = false
  #timer: NodeJS.Timeout | undefined
  /** A failed flush isn't retried before this time, monotonic ms like those below. */
  #retryAt = 0
  #backgroundRetryAt = 0
  #burstUntil = 0
  #pauseUntil = 0

  /** `reply` can be called at any time; buffers are returned with `committed`. */
  constructor(engine: StoreEngine, reply: (reply: WriterReply, transfer?: ArrayBuffer[]) => void) {
    this.#engine = engine
    this.#reply = reply
    if (engine.unclosed.length > 0) this.#wakeIn(RECOVER_AFTER_MS)
    else if (engine.hasWork) this.#wake() // remains of an import or an erasure that a crash interrupted
  }

  handle(request: WriterRequest): void {
    if (this.#isClosed) return
    switch (request.method) {
      case 'begin':
      case 'append':
      case 'end':
      case 'close':
        this.#queue.push(request)
        break
      default:
        this.#respond(request)
    }
    this.#wake()
  }

  /** Responds now or later, outside of the queue, so that received messages never wait behind it. */
  #respond(request: Exclude<WriterRequest, QueuedRequest>): void {
    const engine = this.#engine
    const { library } = engine
    const responder = this.#responderOf(request)
    try {
      switch (request.method) {
        case 'snapshot':
          return engine.snapshot(...request.args)
        case 'addBookmark':
          return responder.done(engine.addBookmark(...request.args))
        case 'removeBookmark':
          return responder.done(engine.removeBookmark(...request.args))
        case 'beginImport':
          return responder.done(library.beginImport(...request.args))
        case 'appendImport':
          return library.appendImport(...request.args, responder)
        case 'endImport':
          return library.endImport(...request.args, responder)
        case 'abortImport':
          return responder.done(library.abortImport(...request.args))
        case 'openReplica':
          return responder.done(library.openReplica(...request.args))
        case 'appendReplica':
          return library.replicas.append(...request.args, responder)
        case 'endReplica':
          return library.replicas.end(...request.args, responder)
        case 'label':
          return responder.done(library.label(...request.args))
        case 'erase':
          return responder.done(library.erase(...request.args))
        case 'compact':
          return library.compact({
            ...responder,
            progress: (done) => this.#replyIfOpen({ is: 'progress', call: request.call, done, messages: 0 }),
            isCanceled: () => isCanceled(request),
          })
      }
    } catch (thrown) {
      responder.failed(thrown)
    }
  }

  #responderOf({ call }: WriterRequest): Responder<unknown> {
    return {
      done: (value) => this.#replyIfOpen({ is: 'done', call, value }),
      failed: (thrown) => this.#replyIfOpen({ is: 'failed', call, failure: this.#failureOf(thrown) }),
    }
  }

  #replyIfOpen(reply: Reply): void {
    if (!this.#isClosed) this.#reply(reply)
  }

  #replyDone(call: number): void {
    this.#reply({ is: 'done', call, value: undefined })
  }

  #wake(): void {
    if (this.#isAwake || this.#isClosed) return
    this.#isAwake = true
    setImmediate(() => this.#run())
  }

  #wakeIn(ms: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#wake(), ms)
    this.#timer.unref()
  }

  #reportTrouble(duty: Duty, thrown: unknown): void {
    if (this.#failing.size === 0) this.#reply({ is: 'trouble', failure: this.#failureOf(thrown) })
    this.#failing.add(duty)
  }

  #clearTrouble(duty: Duty): void {
    if (this.#failing.delete(duty) && this.#failing.size === 0) this.#reply({ is: 'recovered' })
  }

  #failureOf(thrown: unknown): Failure {
    return storeFailure(thrown, this.#engine.file)
  }

  /** The next request, then a turn of background work. */
  #run(): void {
    this.#isAwake = false
    if (this.#isClosed) return
    const wait = this.#retryAt - performance.now()
    // Every new batch wakes the loop, but the retry still waits, unless the writer is closing.
    if (wait > 0 && !this.#isLeaving()) return this.#wakeIn(wait)
    const request = this.#queue[0]
    if (request !== undefined && !this.#serveFirst(request)) return
    if (!this.#isClosed && this.#commitReplicas()) this.#work()
    if (this.#queue.length > 0) this.#wake()
  }

  /** Commits flushes of replicas, which wait for no background work. Returns false if it failed. */
  #commitReplicas(): boolean {
    if (performance.now() < this.#backgroundRetryAt) return true
    try {
      if (this.#engine.library.replicas.commit()) this.#wake()
      return true
    } catch (thrown) {
      this.#retryBackground(thrown)
      return false
    }
  }

  /** Returns false if the loop must not continue now. */
  #serveFirst(request: QueuedRequest): boolean {
    try {
      if (request.method === 'append') this.#commit()
      else {
        this.#serve(request)
        this.#queue.shift()
      }
      this.#clearTrouble('flush')
      return true
    } catch (thrown) {
      if (thrown instanceof OwnershipLost && request.method !== 'close') {
        this.#surrender(thrown)
        return false
      }
      if (isDiskError(thrown)) {
        this.#reportTrouble('flush', thrown)
        // Closing must not wait for a disk that may never recover.
        if (this.#isLeaving()) this.#abandonQueue()
        else {
          this.#retryAt = performance.now() + RETRY_MS
          this.#wakeIn(RETRY_MS)
        }
        return false
      }
      if (request.method === 'append') {
        this.#isClosed = true
        throw thrown
      }
      this.#queue.shift()
      if (request.method !== 'close') {
        this.#reply({ is: 'failed', call: request.call, failure: this.#failureOf(thrown) })
      }
      return true
    }
  }

  #commit(): void {
    const batches: Batch[] = []
    let bytes = 0
    for (const request of this.#queue) {
      if (request.method !== 'append' || batches.length === MAX_BATCHES) break
      const [batch, batchBytes] = request.args
      batches.push(batch)
      bytes += batchBytes
    }
    let done: CommitResult
    try {
      done = this.#engine.commit(batches)
    } catch (thrown) {
      if (isDiskError(thrown) || thrown instanceof OwnershipLost) throw thrown
      this.#reply({ is: 'died', failure: this.#failureOf(thrown) })
      throw thrown
    }
    this.#queue.splice(0, batches.length)
    const recycled = batches.flatMap(({ messages }) => buffersOf(messages))
    if (bytes >= BURST_BYTES) this.#burstUntil = performance.now() + BURST_MS
    const sizes = this.#engine.sizes()
    this.#reply({ is: 'committed', ...done, ...sizes, bytes, recycled, batches: batches.length }, recycled)
    this.#engine.copyLogIfDue()
  }

  #serve(request: Exclude<QueuedRequest, QueuedBatch>): void {
    switch (request.method) {
      case 'begin':
        this.#hasBegun = true
        this.#engine.begin(...request.args)
        this.#replyDone(request.call)
        return
      case 'end': {
        const key = this.#engine.end(...request.args)
        if (key === null) this.#replyDone(request.call)
        else this.#ending.push({ call: request.call, key })
        return
      }
      case 'close':
        this.#engine.library.stop()
        try {
          this.#engine.drain()
        } catch {
          // The disk is failing. What isn't sealed stays in the journal, and the next start closes it.
        }
        this.#isClosed = true
        clearTimeout(this.#timer)
        this.#engine.close()
        for (const { call } of this.#ending) this.#replyDone(call)
        this.#replyDone(request.call)
    }
  }

  /** Releases the store to its new owner. The next writer finds the session open and closes it. */
  #surrender(thrown: OwnershipLost): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    try {
      this.#engine.close() // releases the lock before a new writer tries to take it
    } finally {
      this.#reply({ is: 'died', failure: this.#failureOf(thrown) })
    }
  }

  #isLeaving(): boolean {
    return this.#queue.some(({ method }) => method === 'close')
  }

  #abandonQueue(): void {
    for (const request of this.#queue.splice(0)) {
      if (request.method === 'close') this.#serve(request)
      else if (request.method !== 'append') this.#replyDone(request.call)
    }
  }

  #work(): void {
    const engine = this.#engine
    const now = performance.now()
    const isUrgent = this.#ending.length > 0
    if (now < this.#backgroundRetryAt) return this.#wakeIn(IDLE_MS)
    if (now < this.#burstUntil && !isUrgent && engine.journalBytes < MAX_BURST_JOURNAL_BYTES) {
      return this.#wakeIn(BURST_MS)
    }
    if (now < this.#pauseUntil && engine.isLeisurely && !isUrgent) return this.#wakeIn(this.#pauseUntil - now)
    let state: ReturnType<StoreEngine['turn']>
    try {
      this.#recoverUnclosed()
      state = engine.turn(TURN_MS)
      if (state !== 'waiting') this.#clearTrouble('background')
    } catch (thrown) {
      return this.#retryBackground(thrown)
    }
    this.#replyFinished()
    if (state === 'more' && engine.isLeisurely && this.#ending.length === 0) {
      this.#pauseUntil = performance.now() + PAUSE_MS
      this.#wakeIn(PAUSE_MS)
    } else if (state === 'more') this.#wake()
    else this.#wakeIn(state === 'waiting' ? 5 : IDLE_MS)
  }

  #retryBackground(thrown: unknown): void {
    if (thrown instanceof OwnershipLost) return this.#surrender(thrown)
    this.#reportTrouble('background', thrown)
    this.#backgroundRetryAt = performance.now() + (isDiskError(thrown) ? RETRY_MS : BACKGROUND_RETRY_MS)
    this.#wakeIn(RETRY_MS)
  }

  #recoverUnclosed(): void {
    if (this.#hasBegun || this.#engine.unclosed.length === 0) return
    if (performance.now() - this.#openedAt >= RECOVER_AFTER_MS) this.#engine.recoverSessions(unixMs(Date.now()))
    else this.#wakeIn(RECOVER_AFTER_MS)
  }

  #replyFinished(): void {
    for (let i = this.#ending.length - 1; i >= 0; i--) {
      const { call, key } = this.#ending[i]
      if (this.#engine.isFinishing(key)) continue
      this.#replyDone(call)
      this.#ending.splice(i, 1)
    }
  }
}
