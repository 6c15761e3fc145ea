/**
 * A worker thread that runs a simulator, so that the demo market doesn't share the terminal's event loop, or that
 * computes a past interval of it, one chunk per request.
 */
import { pathToFileURL } from 'node:url'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { toFailure, type Failure } from '../shared/base/errors.ts'
import type { FaultName } from './faults.ts'
import { marketHistory, type HistoryChunk, type HistoryRequest } from './history.ts'
import { startSimulator, type Sent, type Simulator, type SimulatorOptions } from './simulator.ts'

/** Options that can be cloned to a thread, as its `workerData`. */
export type WorkerOptions = Omit<SimulatorOptions, 'clock' | 'market' | 'dataDir'> & {
  /** A folder's path or file URL. */
  readonly dataDir: string
}

/** The `workerData` of a thread that computes a past interval. */
export interface HistoryWorkerOptions {
  /** A folder's path. */
  readonly dataDir: string
  readonly history: HistoryRequest
}

/** Messages to the thread. */
export type WorkerRequest =
  | { readonly type: 'next' }
  | { readonly type: 'fault'; readonly name: FaultName; readonly params?: Readonly<Record<string, unknown>> }
  | { readonly type: 'sent' }
  | { readonly type: 'close' }

/** Messages from the thread. After `closed`, or `failed` before `ready`, it ends by itself. */
export type WorkerReport =
  | {
      readonly type: 'ready'
      readonly baseUrl: string
      readonly username: string
      readonly password: string
      readonly apiKey: string
    }
  | { readonly type: 'sent'; readonly sent: Sent }
  | { readonly type: 'failed'; readonly failure: Failure }
  /** Null: the interval is complete, and the thread ends. */
  | { readonly type: 'history'; readonly chunk: HistoryChunk | null }
  | { readonly type: 'closed' }

const port = parentPort
if (port === null) throw new Error('worker.ts runs in a worker thread')
const report = (message: WorkerReport) => port.postMessage(message)

async function serve(request: WorkerRequest, simulator: Simulator): Promise<void> {
  switch (request.type) {
    case 'fault':
      simulator.fault(request.name, request.params)
      return
    case 'sent':
      report({ type: 'sent', sent: simulator.sent() })
      return
    case 'next':
      return
    case 'close':
      await simulator.close()
      report({ type: 'closed' })
      port?.close()
      return
  }
}

async function runSimulator(options: WorkerOptions, own: MessagePort): Promise<void> {
  const simulator = await startSimulator(options)
  const { baseUrl, username, password, apiKey } = simulator
  own.on('message', (request: WorkerRequest) => {
    serve(request, simulator).catch((thrown: unknown) => report({ type: 'failed', failure: toFailure(thrown) }))
  })
  report({ type: 'ready', baseUrl, username, password, apiKey })
}

function runHistory({ dataDir, history }: HistoryWorkerOptions, own: MessagePort): void {
  const chunks = marketHistory(pathToFileURL(`${dataDir}/`), history)
  own.on('message', (request: WorkerRequest) => {
    if (request.type !== 'next') return own.close()
    try {
      const { value, done } = chunks.next()
      const chunk = done === true ? null : value
      const buffers = chunk === null ? [] : [chunk.feed, chunk.sentMs, chunk.offsets, chunk.bytes]
      own.postMessage(
        { type: 'history', chunk } satisfies WorkerReport,
        buffers.map(({ buffer }) => buffer),
      )
      if (chunk === null) own.close()
    } catch (thrown) {
      report({ type: 'failed', failure: toFailure(thrown) })
      own.close()
    }
  })
}

try {
  // The code that starts this thread passes one of the two.
  const options = workerData as WorkerOptions | HistoryWorkerOptions
  if ('history' in options) runHistory(options, port)
  else await runSimulator(options, port)
} catch (thrown) {
  report({ type: 'failed', failure: toFailure(thrown) })
  port.close()
}
