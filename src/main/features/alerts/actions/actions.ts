/**
 * Runs the actions of alerts. An alert only adds to a bounded queue, so a slow or failing action never holds up alerts or
 * the market; what fails or doesn't fit is logged and counted.
 */
import { toFailure, CodedError } from '../../../../shared/base/errors.ts'
import {
  ALERT_ACTIONS,
  type ActionState,
  type AlertAction,
  type WindowAction,
} from '../../../../shared/features/alerts/actions.ts'
import { type Clock, waitUntil } from '../../../base/clock.ts'
import { checkAddress, readActions, writeActions, type ActionSettings } from './action-file.ts'
import { DeliveryError, postNtfy, postWebhook, runProgram, type ActionNote, type Delivery } from './deliver.ts'

/** Alerts that may wait for an action. */
export const MAX_WAITING = 100
/** Waits before the second, third and fourth attempt, ms. */
export const RETRY_MS: readonly number[] = [1_000, 5_000, 30_000]

export interface ActionsOptions {
  readonly dataDir: string
  readonly clock: Pick<Clock, 'after' | 'wallMs'>
  readonly secret: (action: AlertAction) => Promise<string | null>
  /** Null removes it. */
  readonly setSecret: (action: AlertAction, secret: string | null) => Promise<void>
  readonly log: (level: 'info' | 'warn', text: string) => void
  /** For tests. */
  readonly withinMs?: number
}

export interface AlertActions {
  /** Queues an action; returns at once and never throws. */
  run(action: AlertAction, note: ActionNote): void
  state(): Promise<readonly ActionState[]>
  /**
   * Changes where an action leads; '' turns it off. `secret`: null removes it, undefined keeps it. Throws `bad-url`,
   * `insecure-url`, and `usage` for a token that can't be sent.
   */
  set(action: WindowAction, address: string, secret: string | null | undefined): Promise<void>
  /** Runs an action once, now. Rejects with why it failed. */
  test(action: AlertAction, note: ActionNote): Promise<void>
  /** Resolves once nothing is under way. What waits is given up. */
  close(): Promise<void>
}

const LABELS: Readonly<Record<AlertAction, string>> = { webhook: 'webhook', ntfy: 'ntfy message', command: 'command' }

export function createActions(options: ActionsOptions): AlertActions {
  const { dataDir } = options
  const closing = new AbortController()
  const laneFor = (action: AlertAction): ActionLane => new ActionLane(action, options, closing.signal)
  const lanes = { webhook: laneFor('webhook'), ntfy: laneFor('ntfy'), command: laneFor('command') }
  return {
    run: (action, note) => lanes[action].add(note),
    async state() {
      const settings = readActions(dataDir)
      return Promise.all(ALERT_ACTIONS.map((action) => lanes[action].state(settings)))
    },
    async set(action, address, secret) {
      const url = address.trim() === '' ? '' : checkAddress(address).href
      if (action === 'ntfy' && typeof secret === 'string') secret = checkToken(secret)
      if (secret !== undefined) await options.setSecret(action, secret)
      writeActions(dataDir, { ...readActions(dataDir), [action]: url })
    },
    test: (action, note) => lanes[action].deliver(note),
    async close() {
      closing.abort()
      await Promise.all(ALERT_ACTIONS.map((action) => lanes[action].settled()))
    },
  }
}

/** One action: the alerts that wait for it, and how its deliveries went. */
class ActionLane {
  readonly #action: AlertAction
  readonly #options: ActionsOptions
  readonly #closing: AbortSignal
  readonly #waiting: ActionNote[] = []
  #isRunning = false
  /** Settles when nothing is under way. */
  #work: Promise<void> = Promise.resolve()
  #done = 0
  #failed = 0
  #problem: ActionState['problem'] = null

  constructor(action: AlertAction, options: ActionsOptions, closing: AbortSignal) {
    this.#action = action
    this.#options = options
    this.#closing = closing
  }

  /** Queues an alert. Never throws. */
  add(note: ActionNote): void {
    if (this.#closing.aborted) return
    if (this.#waiting.length >= MAX_WAITING) {
      this.#fail(`${MAX_WAITING} alerts are waiting for it already, so this one was left out.`)
      return
    }
    this.#waiting.push(note)
    if (this.#isRunning) return
    // In a turn of its own: this is called on the tick path.
    this.#isRunning = true
    this.#work = new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#drain())
  }

  async state(settings: ActionSettings): Promise<ActionState> {
    const action = this.#action
    return {
      action,
      target: action === 'command' ? settings.command.join(' ') : settings[action],
      hasSecret: (await this.#secret()) !== null,
      waiting: this.#waiting.length,
      done: this.#done,
      failed: this.#failed,
      problem: this.#problem,
    }
  }

  /** Delivers one alert now. Rejects with why it failed. */
  async deliver(note: ActionNote): Promise<void> {
    const { dataDir, clock, withinMs } = this.#options
    const action = this.#action
    const settings = readActions(dataDir)
    if (settings[action].length === 0) {
      throw new CodedError('not-found', `No ${LABELS[action]} is set up.`, {
        hint: 'Set it up under Settings → Alerts.',
      })
    }
    const delivery: Delivery = {
      note,
      secret: await this.#secret(),
      nowMs: clock.wallMs(),
      signal: this.#closing,
      ...(withinMs === undefined ? {} : { withinMs }),
    }
    switch (action) {
      case 'webhook':
        return postWebhook(settings.webhook, delivery)
      case 'ntfy':
        return postNtfy(settings.ntfy, delivery)
      case 'command':
        return runProgram(settings.command, delivery)
    }
  }

  /** Resolves once nothing is under way. Never rejects. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#work])
  }

  #secret(): Promise<string | null> {
    return this.#action === 'command' ? Promise.resolve(null) : this.#options.secret(this.#action)
  }

  async #drain(): Promise<void> {
    for (let note = this.#waiting.shift(); note !== undefined; note = this.#waiting.shift()) {
      if (this.#closing.aborted) break
      await this.#attempt(note)
    }
    this.#isRunning = false
  }

  async #attempt(note: ActionNote): Promise<void> {
    for (let i = 0; ; i++) {
      try {
        await this.deliver(note)
        this.#done += 1
        return
      } catch (thrown) {
        const isFinal = !(thrown instanceof DeliveryError) || thrown.isFinal || i >= RETRY_MS.length
        if (!isFinal) await waitUntil(this.#options.clock, this.#closing, RETRY_MS[i])
        if (isFinal || this.#closing.aborted) return this.#fail(toFailure(thrown).message)
      }
    }
  }

  #fail(message: string): void {
    const { clock, log } = this.#options
    this.#failed += 1
    this.#problem = { atMs: clock.wallMs(), message }
    log('warn', `The ${LABELS[this.#action]} of an alert failed: ${message}`)
  }
}

/** A token is sent in a header. Returns it without the spaces and line breaks of a copy. Throws `usage`. */
function checkToken(typed: string): string {
  const token = typed.trim()
  if (/^[\x21-\x7e]{1,1000}$/.test(token)) return token
  throw new CodedError('usage', 'That isn’t an access token.', {
    hint: 'Copy it again: it has only letters, digits and signs, without spaces.',
  })
}
