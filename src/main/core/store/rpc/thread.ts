/** Starts and ends the store's threads. Each opens the store first, then serves the calls at its port. */
import { Worker, type MessagePort } from 'node:worker_threads'
import { CodedError, toFailure } from '../../../../shared/base/errors.ts'
import type { StoreNotice } from '../types/writer.ts'
import { failureError, type Reply } from './rpc.ts'

/** The first message of a thread, unless it couldn't open the store. */
export interface Opened {
  readonly is: 'opened'
  readonly notices: readonly StoreNotice[]
}

/**
 * What V8 may take for young objects of a thread, MB. Without a limit, the writer took 134 MB to hold 4 MB of them
 * (decision 105).
 */
const YOUNG_OBJECTS_MB = 24

/** How a thread reports that it couldn't open the store: as a failure of this call. */
const OPEN_CALL = 0

export interface ThreadEvents<R> {
  readonly onReply: (reply: R) => void
  /** The thread failed to open the store, threw, or exited. Can be called more than once. */
  readonly onEnd: (error: Error) => void
}

/**
 * Starts a thread of the module `worker` over the store at `file`. `opened` rejects with `store-locked`, `store-newer`,
 * `store-damaged`, `not-found` or a disk error.
 */
export function startThread<R extends { readonly is: string } = never>(
  worker: URL,
  file: string,
  { name, hint }: { readonly name: string; readonly hint: string },
  { onReply, onEnd }: ThreadEvents<R | Reply | Opened>,
): { readonly thread: Worker; readonly opened: Promise<void> } {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_OBJECTS_MB }
  const thread = new Worker(worker, { workerData: { file }, resourceLimits })
  const opened = new Promise<void>((resolve, reject) => {
    const end = (error: Error): void => {
      reject(error)
      onEnd(error)
    }
    // The thread sends only replies.
    thread.on('message', (reply: R | Reply | Opened) => {
      if ('failure' in reply && 'call' in reply && reply.call === OPEN_CALL) return end(failureError(reply.failure))
      if (reply.is === 'opened') resolve()
      onReply(reply)
    })
    thread.on('error', (thrown: unknown) => end(thrown instanceof Error ? thrown : new Error(String(thrown))))
    thread.on('exit', () =>
      end(new CodedError('disk-error', `The store’s ${name} thread ended unexpectedly.`, { hint })),
    )
  })
  return { thread, opened }
}

/** Opens what the thread serves. If that fails, reports why, ends the thread and returns null. */
export function openInThread<T>(port: MessagePort, open: () => T): T | null {
  try {
    return open()
  } catch (thrown) {
    port.postMessage({ is: 'failed', call: OPEN_CALL, failure: toFailure(thrown) } satisfies Reply)
    port.close()
    return null
  }
}

/**
 * Resolves when the thread has ended by itself. After `patienceMs` it is terminated, as a last resort: terminating a
 * thread in the middle of a database call can crash the process.
 */
export function waitForThread(thread: Worker, patienceMs = 3_000): Promise<void> {
  return new Promise((resolve) => {
    if (thread.threadId === -1) {
      resolve()
      return
    }
    thread.ref()
    const timer = setTimeout(() => void thread.terminate(), patienceMs)
    thread.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
