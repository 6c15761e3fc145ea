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

interface Lane {
  readonly waiting: ActionNote[]
  isRunning: boolean
  done: number
  failed: number
  problem: ActionState['problem']
  readonly hasSecret: () => Promise<boolean>
}

const LABELS: Readonly<Record<AlertAction, string>> = { webhook: 'webhook', ntfy: 'ntfy message', command: 'command' }

export function createActions(options: ActionsOptions): AlertActions {
  const { dataDir, clock, log, withinMs } = options
  const closing = new AbortController()
  const isClosing = (): boolean => closing.signal.aborted
  const running = new Set<Promise<void>>()
  const lanes = new Map<AlertAction, Lane>(
    ALERT_ACTIONS.map((action) => [
      action,
      {
        waiting: [],
        isRunning: false,
        done: 0,
        failed: 0,
        problem: null,
        hasSecret: async () => action !== 'command' && (await options.secret(action)) !== null,
      },
    ]),
  )
  const laneOf = (action: AlertAction): Lane => lanes.get(action)! // there is one for each

  const deliver = async (action: AlertAction, note: ActionNote): Promise<void> => {
    const settings = readActions(dataDir)
    if (isOff(settings, action)) {
      throw new CodedError('not-found', `No ${LABELS[action]} is set up.`, {
        hint: 'Set it up under Settings → Alerts.',
      })
    }
    const delivery: Delivery = {
      note,
      secret: action === 'command' ? null : await options.secret(action),
      nowMs: clock.wallMs(),
      signal: closing.signal,
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

  const failed = (action: AlertAction, message: string): void => {
    const lane = laneOf(action)
    lane.failed += 1
    lane.problem = { atMs: clock.wallMs(), message }
    log('warn', `The ${LABELS[action]} of an alert failed: ${message}`)
  }

  const attempt = async (action: AlertAction, note: ActionNote): Promise<void> => {
    for (let i = 0; ; i++) {
      try {
        await deliver(action, note)
        laneOf(action).done += 1
        return
      } catch (thrown) {
        const isFinal = !(thrown instanceof DeliveryError) || thrown.isFinal || i >= RETRY_MS.length
        if (isFinal || isClosing()) return failed(action, toFailure(thrown).message)
        await waitUntil(clock, closing.signal, RETRY_MS[i])
        if (isClosing()) return failed(action, toFailure(thrown).message)
      }
    }
  }

  const drain = async (action: AlertAction): Promise<void> => {
    const lane = laneOf(action)
    lane.isRunning = true
    for (let note = lane.waiting.shift(); note !== undefined && !isClosing(); note = lane.waiting.shift())
      await attempt(action, note)
    lane.isRunning = false
  }

  return {
    run(action, note) {
      const lane = laneOf(action)
      if (isClosing()) return
      if (lane.waiting.length >= MAX_WAITING) {
        failed(action, `${MAX_WAITING} alerts are waiting for it already, so this one was left out.`)
        return
      }
      lane.waiting.push(note)
      if (lane.isRunning) return
      // In a turn of its own: this is called on the tick path.
      lane.isRunning = true
      const work = new Promise<void>((resolve) => setImmediate(resolve)).then(() => drain(action))
      running.add(work)
      void work.finally(() => running.delete(work))
    },
    async state() {
      const settings = readActions(dataDir)
      return Promise.all(
        [...lanes].map(async ([action, { waiting, done, failed: failures, problem, hasSecret }]) => ({
          action,
          target: action === 'command' ? settings.command.join(' ') : settings[action],
          hasSecret: await hasSecret(),
          waiting: waiting.length,
          done,
          failed: failures,
          problem,
        })),
      )
    },
    async set(action, address, secret) {
      const url = address.trim() === '' ? '' : checkAddress(address).href
      if (action === 'ntfy' && typeof secret === 'string') secret = checkToken(secret)
      if (secret !== undefined) await options.setSecret(action, secret)
      writeActions(dataDir, { ...readActions(dataDir), [action]: url })
    },
    test: (action, note) => deliver(action, note),
    async close() {
      closing.abort()
      await Promise.allSettled(running)
    },
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

const isOff = (settings: ActionSettings, action: AlertAction): boolean => settings[action].length === 0
