/** Runs the store's writer: in a thread, or in the caller's for tools and tests. */
import { Worker } from 'node:worker_threads'
import { toFailure, type Failure } from '../../../../shared/base/errors.ts'
import type { WriterReply, WriterRequest } from '../types/writer-protocol.ts'
import { StoreEngine } from './engine.ts'
import { failureError } from './failure-error.ts'
import { waitForThread } from './thread-end.ts'
import { WriterLoop } from './writer-loop.ts'

export interface WriterBackend {
  send(request: WriterRequest, transfer: ArrayBuffer[]): void
  stop(): Promise<void>
}

/** A backend that was started; `opened` resolves when the store is open. Null if it couldn't be started at all. */
interface StartedBackend {
  readonly backend: WriterBackend | null
  readonly opened: Promise<void>
}

interface BackendEvents {
  readonly onReply: (reply: WriterReply) => void
  readonly onDeath: (failure: Failure) => void
}

/** Starts a writer over the store at `file`: in a thread of the module `worker` if one is given. */
export function startBackend(file: string, worker: URL | undefined, events: BackendEvents): StartedBackend {
  return worker === undefined ? startHere(file, events) : startThread(file, worker, events)
}

function startHere(file: string, { onReply }: BackendEvents): StartedBackend {
  try {
    const engine = new StoreEngine(file)
    onReply({ is: 'opened', notices: engine.notices })
    const loop = new WriterLoop(engine, onReply)
    return {
      backend: { send: (request) => loop.handle(request), stop: () => Promise.resolve() },
      opened: Promise.resolve(),
    }
  } catch (thrown) {
    return { backend: null, opened: Promise.reject(thrown instanceof Error ? thrown : new Error(String(thrown))) }
  }
}

function startThread(file: string, worker: URL, { onReply, onDeath }: BackendEvents): StartedBackend {
  const thread = new Worker(worker, { workerData: { file } })
  const opened = new Promise<void>((resolve, reject) => {
    // The thread sends only replies.
    thread.on('message', (reply: WriterReply) => {
      if (reply.is === 'opened') resolve()
      else if (reply.is === 'failed' && reply.call === 0) reject(failureError(reply.failure))
      onReply(reply)
    })
    thread.on('error', (thrown: unknown) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      reject(error)
      onDeath(toFailure(error))
    })
  })
  thread.on('exit', () =>
    onDeath({
      code: 'disk-error',
      message: 'The store’s writer thread ended unexpectedly.',
      hint: 'It is restarting.',
    }),
  )
  return {
    backend: { send: (request, transfer) => thread.postMessage(request, transfer), stop: () => waitForThread(thread) },
    opened,
  }
}
