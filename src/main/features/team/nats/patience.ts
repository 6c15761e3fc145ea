/** Commands wait for servers that don't respond: a cluster that lost one chooses new leaders first. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { waitUntil, type Clock } from '../../../base/clock.ts'
import { connectTeam, type ConnectOptions } from './connect.ts'
import type { TeamLog } from './team-log.ts'

/** An election takes 4 to 9 s, and again as long where the votes are split. */
const PATIENCE_MS = 30_000
/** How long to wait before asking again, ms. A request without a reply has waited for two seconds. */
const AGAIN_MS = 500

export interface PatienceParts {
  readonly clock: Pick<Clock, 'monoNs' | 'after'>
  readonly signal: AbortSignal
  readonly err: (text: string) => void
}

export class Patience {
  readonly #parts: PatienceParts
  /** When the first request failed, elapsed ms. */
  #sinceMs: number | null = null

  constructor(parts: PatienceParts) {
    this.#parts = parts
  }

  /** Connects. A server that can't be reached is an error at once: the address may be wrong. */
  connect(options: ConnectOptions): Promise<TeamLog> {
    return this.try(() => connectTeam(options), ['timeout'])
  }

  /** Reads over a connection, which may be lost meanwhile and comes back by itself. */
  read<T>(read: () => Promise<T>): Promise<T> {
    return this.try(read, ['timeout', 'offline'])
  }

  /** Does what can be done twice, until it fails otherwise. Rejects with `timeout` 30 s after the first failure of all. */
  async try<T>(work: () => Promise<T>, passing: readonly CodedError['code'][]): Promise<T> {
    const { clock, signal, err } = this.#parts
    for (;;) {
      try {
        return await work()
      } catch (thrown) {
        if (!(thrown instanceof CodedError) || !passing.includes(thrown.code) || signal.aborted) throw thrown
        const nowMs = clock.monoNs() / 1e6
        if (this.#sinceMs === null) {
          err(`${thrown.message} Trying again for up to ${PATIENCE_MS / 1_000} s.\n`)
          this.#sinceMs = nowMs
        }
        if (nowMs - this.#sinceMs >= PATIENCE_MS) throw notRespondingError(thrown)
        if ((await waitUntil(clock, signal, AGAIN_MS)) === 'signal') throw thrown
      }
    }
  }
}

const notRespondingError = (cause: CodedError): CodedError =>
  new CodedError('timeout', `The team’s NATS servers didn’t respond for ${PATIENCE_MS / 1_000} s.`, {
    hint: 'More than half of a cluster’s servers must run. Their logs say what they wait for.',
    cause,
  })
