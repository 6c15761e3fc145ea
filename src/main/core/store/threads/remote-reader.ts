/** A StoreReader that calls the readers' thread. Blocks of ticks are opened by the caller, who needs their columns. */
import { Worker } from 'node:worker_threads'
import type { VerifyReport } from '../../../../shared/core/recording/recording.ts'
import { failureError } from './failure-error.ts'
import type { StoreReader } from '../types/store.ts'
import type { ReaderCall, ReaderReply, ReaderRequest } from './reader-worker.ts'
import type { TickPlan, TickSource, TickWindow } from '../types/tick-source.ts'
import { createReplayReader } from '../replay/replay-read.ts'
import { waitForThread } from './thread-end.ts'
import { readTicks } from '../read/ticks.ts'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
  progress?: ((done: number, messages: number) => void) | undefined
}

/** Starts the thread. Rejects with `not-found`, `store-newer`, `store-damaged` or a disk error. */
export async function openRemoteReader(file: string, worker: URL): Promise<StoreReader> {
  const thread = new Worker(worker, { workerData: { file } })
  const calls = new Map<number, Waiting>()
  let next = 1
  let ended: Error | null = null

  const opened = new Promise<void>((resolve, reject) => {
    calls.set(0, { resolve: () => resolve(), reject })
  })
  const rejectAll = (error: Error): void => {
    ended = error
    for (const waiting of calls.values()) waiting.reject(error)
    calls.clear()
  }
  // The thread sends only replies.
  thread.on('message', (reply: ReaderReply) => {
    const call = reply.is === 'opened' ? 0 : reply.call
    const waiting = calls.get(call)
    if (reply.is === 'progress') {
      waiting?.progress?.(reply.done, reply.messages)
      return
    }
    calls.delete(call)
    if (calls.size === 0) thread.unref()
    if (reply.is === 'failed') waiting?.reject(failureError(reply.failure))
    else waiting?.resolve(reply.is === 'value' ? reply.value : undefined)
  })
  thread.on('error', rejectAll)
  thread.on('exit', () =>
    rejectAll(
      failureError({
        code: 'disk-error',
        message: 'The store’s reader thread ended unexpectedly.',
        hint: 'Restart Tapedeck.',
      }),
    ),
  )

  const ask = <T>(request: ReaderRequest, progress?: Waiting['progress']): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (ended !== null) {
        reject(ended)
        return
      }
      const call = next++
      // An idle reader must not keep a finished process alive; one with pending calls must.
      thread.ref()
      // The thread answers each request with the value named by the request.
      calls.set(call, { resolve: (value) => resolve(value as T), reject, progress })
      thread.postMessage({ call, request } satisfies ReaderCall)
    })
  const source: TickSource = {
    plan: (query) => ask<readonly TickPlan[]>({ is: 'plan', query }),
    window: (query, plan, after) => ask<TickWindow>({ is: 'window', query, plan, after }),
    blocks: (query) => ask<readonly Uint8Array[]>({ is: 'blocks', query }),
  }
  await opened
  return {
    sessions: (brief = false) => ask({ is: 'sessions', brief }),
    instruments: (query) => ask({ is: 'instruments', query }),
    ledgerHead: (recordings) => ask({ is: 'ledger-head', recordings }),
    ticks: (query) => readTicks(source, query),
    bars: (query) => ask({ is: 'bars', query }),
    gaps: (query) => ask({ is: 'gaps', query }),
    extent: (query) => ask({ is: 'extent', query }),
    ...createReplayReader(ask),
    ledger: (recording) => ask({ is: 'ledger', recording }),
    async verify(session, onProgress, signal) {
      const stop = new SharedArrayBuffer(4)
      const end = (): void => void Atomics.store(new Int32Array(stop), 0, 1)
      if (signal?.aborted === true) end()
      signal?.addEventListener('abort', end, { once: true })
      try {
        return await ask<VerifyReport>({ is: 'verify', session, stop }, onProgress)
      } finally {
        signal?.removeEventListener('abort', end)
      }
    },
    async close() {
      if (ended !== null) return
      await ask({ is: 'close' }).catch(() => undefined)
      await waitForThread(thread)
    },
  }
}
