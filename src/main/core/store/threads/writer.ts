/** A StoreWriter over a thread, or over a loop in the caller's thread. */
import { CodedError, type Failure } from '../../../../shared/base/errors.ts'
import type { GapCause } from '../../../../shared/core/recording/recording.ts'
import type { RecordingId } from '../../../../shared/base/units.ts'
import { failureError } from './failure-error.ts'
import { createLibrary } from './remote-library.ts'
import type { LibraryWriter, StoreNotice, WriterEvent } from '../types/store.ts'
import { batchBuffers, batchBytes, type WriterReply, type WriterRequest } from '../types/writer-protocol.ts'
import { newRecordingId } from '../types/recording-id.ts'
import { startBackend, type WriterBackend } from './writer-backend.ts'

/** How long `end` waits for a failing disk. */
const PATIENCE_MS = 3_000

interface Call {
  resolve(value?: unknown): void
  reject(error: Error): void
  readonly progress?: ((done: number) => void) | undefined
}

/** Opens the writer. Rejects with `store-locked`, `store-newer`, `store-damaged` or a disk error. */
export async function openWriter(
  file: string,
  worker: URL | undefined,
  onNotice: (notice: StoreNotice) => void = () => undefined,
): Promise<LibraryWriter> {
  const listeners = new Set<(event: WriterEvent) => void>()
  const calls = new Map<number, Call>()
  const causes = new Map<RecordingId, GapCause>()
  let nextCall = 1
  let backlog = 0
  let backend: WriterBackend | null = null
  let generation = 0
  let current: RecordingId | null = null
  let closing = false
  let trouble: Failure | null = null

  const emit = (event: WriterEvent): void => {
    for (const listener of [...listeners]) listener(event)
  }

  const onDeath = (session: number, failure: Failure): void => {
    if (session !== generation || backend === null) return
    void backend.stop() // not awaited: whatever the old backend still sends is ignored
    backend = null
    backlog = 0
    if (current !== null) causes.set(current, 'worker')
    current = null
    for (const [, call] of calls) call.reject(failureError(failure))
    calls.clear()
    if (!closing) emit({ is: 'died', failure })
  }

  const onReply = (session: number, reply: WriterReply): void => {
    if (session !== generation) return
    switch (reply.is) {
      case 'opened':
        for (const notice of reply.notices) onNotice(notice)
        return
      case 'done':
      case 'failed': {
        const call = calls.get(reply.call)
        calls.delete(reply.call)
        if (reply.is === 'done') call?.resolve(reply.value)
        else if (reply.call === 0) onDeath(session, reply.failure)
        else call?.reject(failureError(reply.failure))
        return
      }
      case 'progress':
        calls.get(reply.call)?.progress?.(reply.done)
        return
      case 'committed': {
        backlog -= reply.bytes
        emit(reply)
        return
      }
      case 'trouble':
      case 'recovered':
        trouble = reply.is === 'trouble' ? reply.failure : null
        emit(reply)
        return
      case 'died':
        onDeath(session, reply.failure)
    }
  }

  /** Rejects if the disk keeps failing, so that closing doesn't hang. The next start closes the open session. */
  const rejectWhenStuck = (ended: Promise<void>): Promise<never> =>
    new Promise((_, reject) => {
      let waited = 0
      const timer = setInterval(() => {
        waited = trouble === null ? 0 : waited + PATIENCE_MS / 10
        if (trouble !== null && waited >= PATIENCE_MS) reject(failureError(trouble))
      }, PATIENCE_MS / 10)
      const stop = (): void => clearInterval(timer)
      ended.then(stop, stop)
    })

  /** Starts a backend. Resolves when the store is open. */
  const start = (): Promise<void> => {
    const session = ++generation
    const started = startBackend(file, worker, {
      onReply: (reply) => onReply(session, reply),
      onDeath: (failure) => onDeath(session, failure),
    })
    backend = started.backend
    return started.opened
  }

  const ask = <T = void>(
    createRequest: (call: number) => WriterRequest,
    transfer: ArrayBuffer[] = [],
    progress?: (done: number) => void,
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      const call = nextCall++
      // The backend answers each request with the value named by the request.
      calls.set(call, { resolve: (value) => resolve(value as T), reject, progress })
      backend?.send(createRequest(call), transfer)
    })

  const mustRun = <T>(createRequest: (call: number) => WriterRequest): Promise<T> =>
    backend === null
      ? Promise.reject(new CodedError('disk-error', 'The store’s writer thread ended unexpectedly.'))
      : ask<T>(createRequest)

  try {
    await start()
  } catch (thrown) {
    generation++
    throw thrown
  }

  return {
    async begin(source, startedMs, id = newRecordingId(startedMs)) {
      current = id
      const sendBegin = (): Promise<void> =>
        ask((call) => ({ is: 'begin', call, id, source, startedMs, causes: new Map(causes) }))
      if (backend === null) {
        const opened = start() // messages sent before the store is open wait at the port
        if (backend === null) await opened
        else opened.catch(() => undefined) // reported by `died` and by the rejected call
      }
      await sendBegin()
      causes.clear()
      return id
    },
    append(batch) {
      if (backend === null) return
      const bytes = batchBytes(batch)
      backlog += bytes
      backend.send({ is: 'append', batch, bytes }, batchBuffers(batch))
    },
    get backlogBytes() {
      return backlog
    },
    library: createLibrary((createRequest, transfer, progress) =>
      backend === null
        ? Promise.reject(new CodedError('disk-error', 'The store’s writer thread ended unexpectedly.'))
        : ask((call) => ({ is: 'library', request: createRequest(call) }), transfer, progress),
    ),
    onEvent(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    snapshot(snapshot) {
      const { recording = current, data } = snapshot
      if (backend === null || recording === null || recording !== current) return
      const { buffer } = data
      backend.send(
        { is: 'snapshot', snapshot: { ...snapshot, recording } },
        buffer instanceof ArrayBuffer ? [buffer] : [],
      )
    },
    addBookmark: (bookmark) => mustRun((call) => ({ is: 'bookmark-add', call, bookmark })),
    removeBookmark: (id) => mustRun((call) => ({ is: 'bookmark-remove', call, id })),
    async end(endedMs, counts) {
      current = null
      if (backend === null) return
      const ended = ask((call) => ({ is: 'end', call, endedMs, counts }))
      await Promise.race([ended, rejectWhenStuck(ended)])
    },
    async close() {
      if (closing) return
      closing = true
      if (backend !== null) {
        await ask((call) => ({ is: 'close', call })).catch(() => undefined)
        generation++
        await backend?.stop()
      }
      backend = null
      // A request sent while the thread was closing gets no reply, so its caller would wait forever.
      for (const [, call] of calls) call.reject(new CodedError('cancelled', 'The store was closed.'))
      calls.clear()
    },
  }
}
