/** The demo market: a simulator in a worker thread, restarted when it dies. */
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { CodedError, messageOf } from '../../../shared/base/errors.ts'
import type { WorkerReport } from '../../../simulator/worker.ts'
import type { Clock } from '../../base/clock.ts'
import type { DemoMarket } from '../../terminal/host.ts'

export interface DemoMarketOptions {
  readonly worker: URL
  readonly dataDir: URL
  readonly seed: number | undefined
  readonly clock: Clock
  /** Called when the worker died and is restarted. */
  readonly log: (text: string, detail?: string) => void
}

type Ready = Extract<WorkerReport, { type: 'ready' }>

const RESTART_MS = 500
const MAX_RESTART_MS = 10_000
/** A worker that has not exited after this is terminated, ms. */
const CLOSE_MS = 1_000

/** Starts the demo market; rejects with `internal` or the worker's failure if it cannot start. */
export async function startDemoMarket(options: DemoMarketOptions): Promise<DemoMarket> {
  const { clock } = options
  let worker: Worker
  let closing = false
  let undoRestart: (() => void) | undefined

  const spawn = (same: Ready | null): Promise<Ready> => {
    const again = same && {
      port: Number(new URL(same.baseUrl).port),
      username: same.username,
      password: same.password,
      apiKey: same.apiKey,
    }
    worker = new Worker(options.worker, {
      workerData: {
        dataDir: fileURLToPath(options.dataDir),
        ...(options.seed === undefined ? {} : { seed: options.seed }),
        ...again,
      },
      name: 'demo market',
    })
    const mine = worker
    return new Promise((resolve, reject) => {
      let failure: CodedError | undefined
      mine.on('message', (report: WorkerReport) => {
        if (report.type === 'ready') resolve(report)
        if (report.type === 'failed') failure = new CodedError(report.failure.code, report.failure.message)
      })
      mine.on('error', (cause) => {
        failure = new CodedError('internal', 'The demo market has stopped.', { cause })
      })
      mine.on('exit', () => reject(failure ?? new CodedError('internal', 'The demo market has stopped.')))
    })
  }
  const watch = (ready: Ready, delay: number) => {
    const since = clock.monoNs()
    worker.once('exit', () => {
      if (closing) return
      options.log('The demo market stopped and is restarting.')
      // The delay starts over if the worker ran for a minute.
      const next = clock.monoNs() - since > 60e9 ? RESTART_MS : delay
      restart(ready, next)
    })
  }
  const restart = (ready: Ready, delay: number) => {
    undoRestart = clock.after(delay, () => {
      const later = Math.min(MAX_RESTART_MS, delay * 2)
      spawn(ready).then(
        () => watch(ready, later),
        (error: unknown) => {
          options.log('Couldn’t start the demo market.', messageOf(error))
          if (!closing) restart(ready, later)
        },
      )
    })
  }

  const ready = await spawn(null)
  watch(ready, RESTART_MS)
  return {
    account: { baseUrl: ready.baseUrl, user: ready.username, password: ready.password, apiKey: ready.apiKey },
    async close() {
      closing = true
      undoRestart?.()
      const mine = worker
      const ended = new Promise<void>((resolve) => mine.once('exit', () => resolve()))
      if (mine.threadId === -1) return
      mine.postMessage({ type: 'close' })
      const undo = clock.after(CLOSE_MS, () => void mine.terminate())
      await ended
      undo()
    },
  }
}
