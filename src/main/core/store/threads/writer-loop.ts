/**
 * The writer's loop: requests in order, background work between them, and retries while the disk is full or failing.
 * Runs in the writer's thread, or in the caller's for tools and tests.
 */
import { unixMs, type RecordingId } from '../../../../shared/base/units.ts'
import type { CommitResult } from './engine.ts'
import { isDiskError, storeFailure } from '../schema/sqlite.ts'
import { batchBuffers, type BookmarkRequest, type WriterReply, type WriterRequest } from '../types/writer-protocol.ts'
import type { StoreEngine } from './engine.ts'
import { OwnershipLost } from '../schema/ownership.ts'

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
type QueuedRequest = Extract<WriterRequest, { is: 'begin' | 'append' | 'end' | 'close' }>

export interface WriterLoop {
  handle(request: WriterRequest): void
}

/** Runs requests over an engine. `reply` can be called at any time; buffers are returned with `committed`. */
export function runWriter(
  engine: StoreEngine,
  reply: (reply: WriterReply, transfer?: ArrayBuffer[]) => void,
): WriterLoop {
  const queue: QueuedRequest[] = []
  const ending: { readonly call: number; readonly key: RecordingId }[] = []
  /** What is failing: flushes or background work. Reported once, and cleared when both work again. */
  const troubled = new Set<'flush' | 'background'>()
  const openedAt = performance.now()
  let begun = false
  let closed = false
  let pumping = false
  let idle: NodeJS.Timeout | undefined
  /** A failed flush isn't retried before this time, monotonic ms like those below. */
  let retryAt = 0
  let restUntil = 0
  let burstUntil = 0
  let pauseUntil = 0

  const wake = (): void => {
    if (pumping || closed) return
    pumping = true
    setImmediate(pump)
  }
  const later = (ms: number): void => {
    if (closed) return
    clearTimeout(idle)
    idle = setTimeout(wake, ms)
    idle.unref()
  }
  const reportTrouble = (what: 'flush' | 'background', thrown: unknown): void => {
    if (troubled.size === 0) reply({ is: 'trouble', failure: storeFailure(thrown, engine.file) })
    troubled.add(what)
  }
  const clearTrouble = (what: 'flush' | 'background'): void => {
    if (troubled.delete(what) && troubled.size === 0) reply({ is: 'recovered' })
  }

  function commit(): void {
    const batches: Extract<WriterRequest, { is: 'append' }>[] = []
    for (const request of queue) {
      if (request.is !== 'append' || batches.length === MAX_BATCHES) break
      batches.push(request)
    }
    let done: CommitResult
    try {
      done = engine.commit(batches.map(({ batch }) => batch))
    } catch (thrown) {
      if (isDiskError(thrown) || thrown instanceof OwnershipLost) throw thrown
      reply({ is: 'died', failure: storeFailure(thrown, engine.file) })
      throw thrown
    }
    queue.splice(0, batches.length)
    const recycled = batches.flatMap(({ batch }) => batchBuffers(batch))
    const bytes = batches.reduce((sum, request) => sum + request.bytes, 0)
    if (bytes >= BURST_BYTES) burstUntil = performance.now() + BURST_MS
    reply({ is: 'committed', ...done, ...engine.sizes(), bytes, recycled, batches: batches.length }, recycled)
  }

  function serve(request: Exclude<QueuedRequest, { is: 'append' }>): void {
    switch (request.is) {
      case 'begin':
        begun = true
        engine.begin(request.id, request.source, request.startedMs, request.causes)
        reply({ is: 'done', call: request.call })
        return
      case 'end': {
        const key = engine.end(request.endedMs, request.counts)
        if (key === null) reply({ is: 'done', call: request.call })
        else ending.push({ call: request.call, key })
        return
      }
      case 'close':
        engine.library.stop()
        try {
          engine.drain()
        } catch {
          // The disk is failing. What isn't sealed stays in the journal, and the next start closes it.
        }
        closed = true
        clearTimeout(idle)
        engine.close()
        for (const { call } of ending) reply({ is: 'done', call })
        reply({ is: 'done', call: request.call })
    }
  }

  function pump(): void {
    pumping = false
    if (closed) return
    const request = queue[0]
    const wait = retryAt - performance.now()
    // Every new batch wakes the loop, but the retry still waits, unless the writer is closing.
    if (wait > 0 && !isLeaving()) return later(wait)
    if (request !== undefined) {
      try {
        if (request.is === 'append') commit()
        else {
          serve(request)
          queue.shift()
        }
        clearTrouble('flush')
      } catch (thrown) {
        if (thrown instanceof OwnershipLost && request.is !== 'close') return surrender(thrown)
        if (!isDiskError(thrown)) {
          if (request.is === 'append') {
            closed = true
            throw thrown
          }
          queue.shift()
          if (request.is !== 'close')
            reply({ is: 'failed', call: request.call, failure: storeFailure(thrown, engine.file) })
        } else {
          reportTrouble('flush', thrown)
          // Closing must not wait for a disk that may never recover.
          if (isLeaving()) return giveUp()
          retryAt = performance.now() + RETRY_MS
          return later(RETRY_MS)
        }
      }
    }
    if (!closed) background()
    if (queue.length > 0) wake()
  }

  /** Releases the store to its new owner. The next writer finds the session open and closes it. */
  function surrender(thrown: OwnershipLost): void {
    closed = true
    clearTimeout(idle)
    try {
      engine.close() // releases the lock before a new writer tries to take it
    } finally {
      reply({ is: 'died', failure: storeFailure(thrown, engine.file) })
    }
  }

  function closeLeft(): void {
    if (begun || engine.unclosed.length === 0) return
    if (performance.now() - openedAt >= RECOVER_AFTER_MS) engine.recoverSessions(unixMs(Date.now()))
    else later(RECOVER_AFTER_MS)
  }

  const isLeaving = (): boolean => queue.some(({ is }) => is === 'close')

  function giveUp(): void {
    for (const request of queue.splice(0))
      if (request.is !== 'append') {
        if (request.is === 'close') serve(request)
        else reply({ is: 'done', call: request.call })
      }
  }

  function background(): void {
    const now = performance.now()
    if (now < restUntil) return later(IDLE_MS)
    if (now < burstUntil && ending.length === 0 && engine.journalBytes < MAX_BURST_JOURNAL_BYTES) return later(BURST_MS)
    if (now < pauseUntil && engine.isLeisurely && ending.length === 0) return later(pauseUntil - now)
    let state: 'more' | 'waiting' | 'idle'
    try {
      closeLeft()
      state = engine.turn(TURN_MS)
      if (state !== 'waiting') clearTrouble('background')
    } catch (thrown) {
      if (thrown instanceof OwnershipLost) return surrender(thrown)
      reportTrouble('background', thrown)
      restUntil = performance.now() + (isDiskError(thrown) ? RETRY_MS : BACKGROUND_RETRY_MS)
      return later(RETRY_MS)
    }
    for (let i = ending.length - 1; i >= 0; i--) {
      const { call, key } = ending[i]
      if (engine.isFinishing(key)) continue
      reply({ is: 'done', call })
      ending.splice(i, 1)
    }
    if (state === 'more' && engine.isLeisurely && ending.length === 0) {
      pauseUntil = performance.now() + PAUSE_MS
      later(PAUSE_MS)
    } else if (state === 'more') wake()
    else later(state === 'waiting' ? 5 : IDLE_MS)
  }

  function mark(request: BookmarkRequest): void {
    const { call } = request
    try {
      const value =
        request.is === 'bookmark-add' ? engine.addBookmark(request.bookmark) : engine.removeBookmark(request.id)
      reply({ is: 'done', call, value })
    } catch (thrown) {
      reply({ is: 'failed', call, failure: storeFailure(thrown, engine.file) })
    }
  }

  engine.library.listen((answer) => {
    if (!closed) reply(answer)
  })
  if (engine.unclosed.length > 0) later(RECOVER_AFTER_MS)
  else if (engine.hasWork) wake() // remains of an import or an erasure that a crash interrupted

  return {
    handle(request) {
      if (closed) return
      // Outside of the queue, so that received messages never wait behind it.
      switch (request.is) {
        case 'library':
          engine.library.handle(request.request)
          break
        case 'snapshot':
          engine.snapshot(request.snapshot)
          break
        case 'bookmark-add':
        case 'bookmark-remove':
          mark(request)
          break
        default:
          queue.push(request)
      }
      wake()
    },
  }
}
