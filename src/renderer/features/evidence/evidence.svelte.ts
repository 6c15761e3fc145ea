/** What a window shows of evidence: the messages behind a number, and where the chart was asked to go. */
import type { EvidenceSubject } from '../../../shared/features/evidence/contract.ts'
import type { JobState } from '../../../shared/core/jobs/jobs.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import type { Transport } from '../../../shared/rpc/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { keepStream } from '../../rpc/follow-stream.ts'

/** A displayed value whose messages the user wants to see. */
export interface Subject {
  readonly instrument: InstrumentId
  readonly what: EvidenceSubject
  /** In the words of the pane it was asked in: "BTC-USD 14:03, 1m". */
  readonly title: string
  /** A bar as the chart had it. */
  readonly shown?: Bar
}

export class EvidenceState {
  /** Null: the dialog is closed. */
  subject = $state.raw<Subject | null>(null)
  /** Where the chart should go, UTC ms; `asked` grows with each asking. */
  place = $state.raw<{ readonly asked: number; readonly ms: number } | null>(null)
  /** The verification that this window started last, and its job as far as it is known. */
  verifying = $state.raw<{ readonly session: string | null; readonly job: string } | null>(null)
  jobs = $state.raw<readonly JobState[]>([])
  readonly job = $derived.by(() => this.jobs.find((one) => one.id === this.verifying?.job))
  /** The comparison of a whole session that this window started last. */
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

  /** Starts a verification of one session, or of all. Answers the failure to start, if any. */
  async verify(session: string | null) {
    this.#stop ??= keepStream(this.#transport, 'jobs', {}, (jobs) => (this.jobs = jobs))
    const result = await this.#transport.invoke('evidence.verify', { session })
    if (!result.ok) return result.error
    this.verifying = { session, job: result.value }
    return null
  }
  /** Starts comparing all of a session's bars of an instrument. Answers the failure to start, if any. */
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
