/** A worker thread that runs one simulator, so that the demo market does not share the terminal's event loop. */
import { parentPort, workerData } from 'node:worker_threads'
import { toFailure, type Failure } from '../shared/errors.ts'
import type { FaultName } from './faults.ts'
import { startSimulator, type Sent, type Simulator, type SimulatorOptions } from './simulator.ts'

/** Options that can be cloned to a thread; they are its `workerData`. */
export type WorkerOptions = Omit<SimulatorOptions, 'clock' | 'market' | 'dataDir'> & {
  /** A folder's path or file URL. */
  readonly dataDir: string
}

/** What the thread is told. */
export type WorkerRequest =
  | { readonly type: 'fault'; readonly name: FaultName; readonly params?: Readonly<Record<string, unknown>> }
  | { readonly type: 'sent' }
  | { readonly type: 'close' }

/** What the thread tells. After `closed` or a `failed` before `ready` it ends by itself. */
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
    case 'close':
      await simulator.close()
      report({ type: 'closed' })
      port?.close()
      return
  }
}

try {
  // whoever starts this thread passes WorkerOptions
  const simulator = await startSimulator(workerData as WorkerOptions)
  const { baseUrl, username, password, apiKey } = simulator
  port.on('message', (request: WorkerRequest) => {
    serve(request, simulator).catch((thrown: unknown) => report({ type: 'failed', failure: toFailure(thrown) }))
  })
  report({ type: 'ready', baseUrl, username, password, apiKey })
} catch (thrown) {
  report({ type: 'failed', failure: toFailure(thrown) })
  port.close()
}
