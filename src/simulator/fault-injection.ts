/** Injects faults: keeps counters for later and applies faults to connections. */
import type { Account } from '../server/account.ts'
import { PLAN_REFUSALS } from '../server/account-options.ts'
import { FEEDS } from '../service/feeds.ts'
import type { FeedId } from '../shared/base/units.ts'
import type { SimulatorClock } from './market/clock.ts'
import type { Connection } from './connection.ts'
import { MALFORMED, type Fault } from './faults.ts'
import type { RestFault } from './http.ts'

export interface FaultInjectionHost {
  readonly clock: SimulatorClock
  readonly account: Account
  readonly connections: ReadonlySet<Connection>
  isClosing(): boolean
  expireTokens(close: boolean): void
  restart(ms: number): Promise<void>
  /** Sends load messages and returns how many could be sent. */
  burst(connection: Connection, from: number, count: number): number
  /** A plausible message of a feed. */
  sample(feed: FeedId, symbol: string): string
}

export interface FaultInjection {
  apply(fault: Fault): void
  takeForbidden(): boolean
  takeDelayMs(): number
  takePartialAcknowledgement(): boolean
  takeRestFault(): RestFault | undefined
}

/** Messages of a burst to send between two checks of the backlog. */
const BURST_PART = 2_000

export function createFaultInjection(side: FaultInjectionHost): FaultInjection {
  let forbidden = 0
  let slow = 0
  let slowMs = 0
  let partial = 0
  let restFaults = 0
  let restFault: RestFault | undefined

  const burst = (connection: Connection, total: number) => {
    let done = 0
    const step = () => {
      if (side.isClosing() || !connection.open || connection.tickers.size === 0) return
      done += side.burst(connection, done, Math.min(BURST_PART, total - done))
      if (done < total) side.clock.after(1, step)
    }
    step()
  }

  return {
    apply({ name, params: { feed, numbers, texts, flags } }) {
      const targets = [...side.connections].filter((c) => feed === undefined || c.feed === feed)
      const n = (key: string) => numbers[key] ?? 0
      switch (name) {
        case 'drop':
          for (const connection of targets) connection.cut()
          return
        case 'half-open':
          for (const connection of targets) connection.freeze()
          return
        case 'stall':
          for (const connection of targets) connection.ail.stalledUntilMs = side.clock.wallMs() + n('ms')
          return
        case 'expire-token':
          side.expireTokens(flags.close ?? true)
          return
        case 'reorder':
          for (const { ail } of targets) {
            ail.reorder = n('count')
            ail.reorderWindow = Math.max(2, n('window'))
          }
          return
        case 'duplicate':
          for (const { ail } of targets) ail.duplicate = n('count')
          return
        case 'malformed':
          for (const connection of targets) {
            for (let i = 0; i < n('count'); i++) {
              const frame = MALFORMED[i % MALFORMED.length]
              if (typeof frame === 'string' || frame instanceof Uint8Array) connection.raw(frame)
              else connection.raw(frame.text, false)
            }
          }
          return
        case 'unasked':
          for (const connection of targets) {
            const symbol = texts.symbol ?? 'UNASKED'
            for (let i = 0; i < n('count'); i++) connection.raw(side.sample(connection.feed, symbol))
          }
          return
        case 'partial-ack':
          partial = n('count')
          return
        case 'burst':
          for (const connection of targets) burst(connection, n('messages'))
          return
        case 'slow-handshake':
          slow = n('count')
          slowMs = n('ms')
          return
        case 'restart':
          // After the response to the request.
          side.clock.after(10, () => void side.restart(n('ms')))
          return
        case 'plan':
          side.account.plan = texts.plan ?? side.account.plan
          side.account.refusal = PLAN_REFUSALS.find((r) => r === texts.refusal) ?? side.account.refusal
          for (const connection of targets) if (!side.account.covers(FEEDS[connection.feed].id)) connection.cut()
          return
        case 'forbid-origin':
          forbidden = n('count')
          return
        case 'rest':
          restFaults = n('count')
          restFault = { kind: texts.kind ?? 'status', status: n('status'), retryAfter: n('retryAfter') }
          return
      }
    },
    takeForbidden() {
      if (forbidden <= 0) return false
      forbidden--
      return true
    },
    takeDelayMs() {
      if (slow <= 0) return 0
      slow--
      return slowMs
    },
    takePartialAcknowledgement() {
      if (partial <= 0) return false
      partial--
      return true
    },
    takeRestFault() {
      if (restFaults <= 0) return undefined
      restFaults--
      return restFault
    },
  }
}
