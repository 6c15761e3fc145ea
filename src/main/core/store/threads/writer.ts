/** A StoreWriter over a thread, or over a loop in the caller's thread. */
import { Worker } from 'node:worker_threads'
import { CodedError, toFailure, type Failure } from '../../../../shared/base/errors.ts'
import type { GapCause } from '../../../../shared/core/recording/recording.ts'
import type { RecordingId } from '../../../../shared/base/units.ts'
import { StoreEngine } from './engine.ts'
import { failureError } from './failure-error.ts'
import { createLibrary } from './remote-library.ts'
import type { LibraryWriter, StoreNotice, WriterEvent } from '../types/store.ts'
import { batchBuffers, batchBytes, type WriterReply, type WriterRequest } from '../types/writer-protocol.ts'
import { newRecordingId } from '../types/recording-id.ts'
import { waitForThread } from './thread-end.ts'
import { runWriter } from './writer-loop.ts'

/** How long `end` waits for a failing disk. */
const PATIENCE_MS = 3_000

interface Call {
  resolve(value?: unknown): void
  reject(error: Error): void
  readonly progress?: ((done: number) => void) | undefined
}

/** A running writer: a thread or a loop. */
interface WriterBackend {
  send(request: WriterRequest, transfer: ArrayBuffer[]): void
  stop(): Promise<void>
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
  let line: WriterBackend | null = null
  let generation = 0
  let current: RecordingId | null = null
  let closing = false
  let trouble: Failure | null = null

  const emit = (event: WriterEvent): void => {
    for (const listener of [...listeners]) listener(event)
  }

  const onDeath = (session: number, failure: Failure): void => {
    if (session !== generation || line === null) return
    void line.stop() // not awaited: whatever the old backend still sends is ignored
    line = null
    backlog = 0
    if (current !== null) causes.set(current, 'worker')
    current = null
    for (const [, call] of calls) call.reject(failureError(failure))
    calls.clear()
    if (!closing) emit({ is: 'died', failure })
  }

  const onReply = (mine: number, reply: WriterReply): void => {
    if (mine !== generation) return
    switch (reply.is) {
      case 'opened':
        for (const notice of reply.notices) onNotice(notice)
        return
      case 'done':
      case 'failed': {
        const call = calls.get(reply.call)
        calls.delete(reply.call)
        if (reply.is === 'done') call?.resolve(reply.value)
        else if (reply.call === 0) onDeath(mine, reply.failure)
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
        onDeath(mine, reply.failure)
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
    const mine = ++generation
    if (worker === undefined) {
      try {
        const engine = new StoreEngine(file)
        onReply(mine, { is: 'opened', notices: engine.notices })
        const loop = runWriter(engine, (reply) => onReply(mine, reply))
        line = { send: (request) => loop.handle(request), stop: () => Promise.resolve() }
        return Promise.resolve()
      } catch (thrown) {
        return Promise.reject(thrown instanceof Error ? thrown : new Error(String(thrown)))
      }
    }
    return new Promise((resolve, reject) => {
      const thread = new Worker(worker, { workerData: { file } })
      line = { send: (request, give) => thread.postMessage(request, give), stop: () => waitForThread(thread) }
      // The thread sends only replies.
      thread.on('message', (reply: WriterReply) => {
        if (reply.is === 'opened') resolve()
        else if (reply.is === 'failed' && reply.call === 0) reject(failureError(reply.failure))
        onReply(mine, reply)
      })
      thread.on('error', (thrown: unknown) => {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown))
        reject(error)
        onDeath(mine, toFailure(error))
      })
      thread.on('exit', () =>
        onDeath(mine, {
          code: 'disk-error',
          message: 'The thread that writes the store ended.',
          hint: 'It is being restarted.',
        }),
      )
    })
  }

  const ask = <T = void>(
    make: (call: number) => WriterRequest,
    give: ArrayBuffer[] = [],
    progress?: (done: number) => void,
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      const call = nextCall++
      // The backend answers each request with the value named by the request.
      calls.set(call, { resolve: (value) => resolve(value as T), reject, progress })
      line?.send(make(call), give)
    })

  const mustRun = <T>(make: (call: number) => WriterRequest): Promise<T> =>
    line === null
      ? Promise.reject(new CodedError('disk-error', 'The thread that writes the store ended.'))
      : ask<T>(make)

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
      if (line === null) {
        const opened = start() // messages sent before the store is open wait at the port
        if (line === null) await opened
        else opened.catch(() => undefined) // reported by `died` and by the rejected call
      }
      await sendBegin()
      causes.clear()
      return id
    },
    append(batch) {
      if (line === null) return
      const bytes = batchBytes(batch)
      backlog += bytes
      line.send({ is: 'append', batch, bytes }, batchBuffers(batch))
    },
    get backlogBytes() {
      return backlog
    },
    library: createLibrary((make, give, progress) =>
      line === null
        ? Promise.reject(new CodedError('disk-error', 'The thread that writes the store ended.'))
        : ask((call) => ({ is: 'library', request: make(call) }), give, progress),
    ),
    onEvent(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    snapshot(snapshot) {
      const { recording = current, data } = snapshot
      if (line === null || recording === null || recording !== current) return
      const { buffer } = data
      line.send({ is: 'snapshot', snapshot: { ...snapshot, recording } }, buffer instanceof ArrayBuffer ? [buffer] : [])
    },
    addBookmark: (bookmark) => mustRun((call) => ({ is: 'bookmark-add', call, bookmark })),
    removeBookmark: (id) => mustRun((call) => ({ is: 'bookmark-remove', call, id })),
    async end(endedMs, counts) {
      current = null
      if (line === null) return
      const ended = ask((call) => ({ is: 'end', call, endedMs, counts }))
      await Promise.race([ended, rejectWhenStuck(ended)])
    },
    async close() {
      if (closing) return
      closing = true
      if (line !== null) {
        await ask((call) => ({ is: 'close', call })).catch(() => undefined)
        generation++
        await line?.stop()
      }
      line = null
      // A request sent while the thread was closing gets no reply, so its caller would wait forever.
      for (const [, call] of calls) call.reject(new CodedError('cancelled', 'The store was closed.'))
      calls.clear()
    },
  }
}
