/** A window's evidence state: the value being explained, the chart's target time, and running jobs. */
import type { EvidenceSubject } from '../../../shared/features/evidence/contract.ts'
import type { JobState } from '../../../shared/core/jobs/jobs.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { keepStream } from '../../rpc/follow-stream.ts'

/** A displayed value whose messages the user wants to see. */
export interface Subject {
  readonly instrument: InstrumentId
  readonly what: EvidenceSubject
  /** Title from the pane the value was picked in, such as "BTC-USD 14:03, 1m". */
  readonly title: string
  /** The bar as the chart showed it. */
  readonly shown?: Bar
}

export class EvidenceState {
  /** The value whose messages the dialog shows; null while it is closed. */
  subject = $state.raw<Subject | null>(null)
  /** Time the chart should go to, UTC ms. `asked` is incremented with each request. */
  place = $state.raw<{ readonly asked: number; readonly ms: number } | null>(null)
  /** The last verification this window started; `session` null means all sessions. */
  verifying = $state.raw<{ readonly session: string | null; readonly job: string } | null>(null)
  /** A verification started outside Evidence that no pane has shown yet. */
  unseen = $state.raw<{ readonly session: string | null } | null>(null)
  jobs = $state.raw<readonly JobState[]>([])
  readonly job = $derived.by(() => this.jobs.find((one) => one.id === this.verifying?.job))
  /** The last whole-session comparison this window started. */
  comparing = $state.raw<{ readonly session: string; readonly instrument: InstrumentId; readonly job: string } | null>(
    null,
  )
  readonly comparison = $derived.by(() => this.jobs.find((one) => one.id === this.comparing?.job))
  readonly #transport: Transport
  #stop: (() => void) | undefined

  constructor(transport: Transport) {
    this.#transport = transport
  }

  show(subject: Subject): void {
    this.subject = subject
  }
  goTo(ms: number): void {
    this.place = { asked: (this.place?.asked ?? 0) + 1, ms }
  }

  /** Starts verifying one session, or all if null. Returns a failure to start, else null. */
  async verify(session: string | null) {
    this.#stop ??= keepStream(this.#transport, 'jobs', {}, (jobs) => (this.jobs = jobs))
    const result = await this.#transport.invoke('evidence.verify', { session })
    if (!result.ok) return result.error
    this.verifying = { session, job: result.value }
    return null
  }
  /** Starts comparing all bars of an instrument in a session. Returns a failure to start, else null. */
  async compare(view: string, session: string, instrument: InstrumentId) {
    this.#stop ??= keepStream(this.#transport, 'jobs', {}, (jobs) => (this.jobs = jobs))
    const args = { view, session, instrument, fromMs: null, toMs: null }
    const result = await this.#transport.invoke('evidence.agree', args)
    if (!result.ok) return result.error
    this.comparing = { session, instrument, job: result.value }
    return null
  }
  async stopComparing(): Promise<void> {
    if (this.comparing) await this.#transport.invoke('jobs.cancel', { job: this.comparing.job })
  }
  async cancel(): Promise<void> {
    if (this.verifying) await this.#transport.invoke('jobs.cancel', { job: this.verifying.job })
  }

  close(): void {
    this.#stop?.()
  }
}
