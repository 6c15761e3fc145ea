/**
 * The window's side of formulas: one worker, one request at a time, each with a time limit. A formula that takes longer
 * is stopped with its worker; the others continue in a new one.
 */
import { t } from '../../../shared/base/text.ts'
import type { FormulaRequest, FormulaResponse } from './protocol.ts'
import workerUrl from './worker.ts?worker&url'

/** The longest time for one request, such as all bars of a chart. */
export const LIMIT_MS = 5_000

export interface FormulaClient {
  readonly run: number
  /** What to compute next; null if nothing is left. */
  nextRequest(): FormulaRequest | null
  arrived(response: FormulaResponse): void
  /** Called when the worker has lost the formula. The next request must start it again. */
  forget(): void
}

/** What the host uses of a worker, so that tests can do without one. */
export interface FormulaWorker {
  post(message: FormulaRequest | { readonly end: number }): void
  onResponse: (response: FormulaResponse) => void
  /** The worker itself failed, for example because it couldn't be loaded. */
  onFailure: () => void
  terminate(): void
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

let scriptUrl: string | null = null
/** The address of the worker's script, as pages with trusted types want it. */
function trustedUrl(): string {
  if (scriptUrl !== null) return scriptUrl
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes } // not in TypeScript's DOM yet
  const policy = trustedTypes?.createPolicy('tapedeck-worker', { createScriptURL: () => workerUrl })
  return (scriptUrl = policy?.createScriptURL(workerUrl) ?? workerUrl)
}

function openWorker(): FormulaWorker {
  const worker = new Worker(trustedUrl(), { type: 'module', name: 'formulas' })
  const made: FormulaWorker = {
    post: (message) => worker.postMessage(message, 'rows' in message ? [message.rows.buffer] : []),
    onResponse: () => undefined,
    onFailure: () => undefined,
    terminate: () => worker.terminate(),
  }
  worker.addEventListener('message', ({ data }: MessageEvent<FormulaResponse>) => made.onResponse(data))
  worker.addEventListener('error', () => made.onFailure())
  return made
}

export class FormulaHost {
  readonly #open: () => FormulaWorker
  readonly #clients = new Map<number, FormulaClient>()
  readonly #waiting = new Set<FormulaClient>()
  #worker: FormulaWorker | null = null
  #busy: FormulaClient | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #count = 0

  constructor(open: () => FormulaWorker = openWorker) {
    this.#open = open
  }

  /** A number for a new client. */
  nextRun(): number {
    return ++this.#count
  }

  /** Queues a client's next request. */
  ask(client: FormulaClient): void {
    this.#clients.set(client.run, client)
    this.#waiting.add(client)
    this.#next()
  }

  end(client: FormulaClient): void {
    this.#waiting.delete(client)
    if (!this.#clients.delete(client.run)) return
    this.#worker?.post({ end: client.run })
    if (this.#clients.size > 0) return
    this.#stop()
  }

  #next(): void {
    if (this.#busy !== null) return
    for (const client of this.#waiting) {
      this.#waiting.delete(client)
      const request = client.nextRequest()
      if (request === null) continue
      this.#busy = client
      this.#timer = setTimeout(() => this.#tooLong(client), LIMIT_MS)
      this.#started().post(request)
      return
    }
  }

  #started(): FormulaWorker {
    if (this.#worker !== null) return this.#worker
    const worker = this.#open()
    worker.onResponse = (response) => {
      const client = this.#busy
      clearTimeout(this.#timer)
      this.#busy = null
      // It may have been removed from its chart meanwhile.
      if (client !== null && this.#clients.has(client.run)) client.arrived(response)
      this.#next()
    }
    worker.onFailure = () => this.#fail(this.#busy, t('Formulas can’t be computed. Reload the window.'))
    this.#worker = worker
    return worker
  }

  #tooLong(client: FormulaClient): void {
    this.#fail(
      client,
      t('Stopped after {number} s. Use shorter lengths or fewer functions.', { number: LIMIT_MS / 1_000 }),
    )
  }

  /** Ends the worker. `client` gets the problem; all other formulas start again. */
  #fail(client: FormulaClient | null, problem: string): void {
    this.#stop()
    for (const one of this.#clients.values()) {
      one.forget()
      if (one === client) one.arrived({ run: one.run, problem })
      else this.#waiting.add(one)
    }
    this.#next()
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#busy = null
    this.#worker?.terminate()
    this.#worker = null
  }
}

export const windowFormulas = new FormulaHost()
