/** Exports and imports: the jobs, and what their dialogs were opened with. */
import type { BarSource, Interval } from '../../../shared/core/market/market.ts'
import type { JobState } from '../../../shared/core/jobs/jobs.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { FeedId, SessionId } from '../../../shared/base/units.ts'
import type { ExportKind } from '../../../shared/features/export/export.ts'
import { labelsOf, t } from '../../../shared/base/text.ts'
import type { Toasts } from '../../ui/toasts.svelte.ts'
import { keepStream } from '../../rpc/follow-stream.ts'

/** Titles of jobs by kind. */
const jobLabel = labelsOf({
  'job.export': 'Export of {title}',
  'job.import': 'Import of {title}',
  'job.package': 'Saving {title}',
  'job.verify': 'Verifying {title}',
  'job.compact': 'Compacting {title}',
  'job.alert': 'Testing the {title}',
  'job.agreement': 'Comparing {title}',
  'job.move': 'Moving {title}',
  'job.fetch': 'Fetching {title}',
})

/** Initial values of the export dialog. Absent fields start at their defaults. */
export interface ExportPrefill {
  readonly what?: ExportKind
  readonly feed?: FeedId
  readonly symbols?: readonly string[]
  /** Absent for all sessions of a source. */
  readonly sessions?: readonly SessionId[]
  /** [from, to), UTC ms. */
  readonly fromMs?: number
  readonly toMs?: number
  readonly interval?: Interval
  readonly of?: BarSource
  /** The subject for the dialog's title: "Majors", "BTC-USD". */
  readonly title?: string
}

export class Exchange {
  /** All jobs, oldest first, including finished ones. */
  jobs = $state.raw<readonly JobState[]>([])
  prefill = $state.raw<ExportPrefill>({})
  /** When the dialog was opened, UTC ms; file names contain this date. */
  openedMs = $state(Date.now())
  /** The file that the import dialog starts with; null if it asks for one. */
  file = $state.raw<File | null>(null)
  /** The manifest given with the file. */
  beside = $state.raw<File | null>(null)
  /** A file that the terminal already has. It takes precedence over `file`. */
  there = $state.raw<{ readonly file: string; readonly name: string } | null>(null)
  readonly running = $derived(this.jobs.filter(({ outcome }) => outcome.is === 'running'))
  readonly #transport: Transport
  readonly #toasts: Toasts
  readonly #stop: () => void

  constructor(transport: Transport, toasts: Toasts) {
    this.#transport = transport
    this.#toasts = toasts
    this.#stop = keepStream(transport, 'jobs', {}, (jobs) => this.#took(jobs))
  }

  #took(jobs: readonly JobState[]): void {
    const before = this.jobs
    this.jobs = jobs
    for (const job of jobs) {
      const was = before.find(({ id }) => id === job.id)?.outcome.is
      if (was === 'running' && job.outcome.is !== 'running') this.#toasts.say(endText(job))
    }
  }

  /** Sets the initial values of the next export dialog. */
  begin(prefill: ExportPrefill): void {
    this.prefill = prefill
    this.openedMs = Date.now()
  }

  job(id: string): JobState | undefined {
    return this.jobs.find((job) => job.id === id)
  }
  async cancel(id: string): Promise<void> {
    await this.#transport.invoke('jobs.cancel', { job: id })
  }
  async dismiss(id: string): Promise<void> {
    await this.#transport.invoke('jobs.dismiss', { job: id })
  }
  close(): void {
    this.#stop()
  }
}

/** The title of a job. */
export const jobTitle = ({ kind, title }: JobState): string => jobLabel(`job.${kind}`, { title })

function endText(job: JobState): string {
  const { outcome } = job
  switch (outcome.is) {
    case 'running':
      return t('{jobTitle} continues in the background.', { jobTitle: jobTitle(job) })
    case 'cancelled':
      return t('{jobTitle} was canceled.', { jobTitle: jobTitle(job) })
    case 'failed':
      return t('{jobTitle} failed: {message}', { jobTitle: jobTitle(job), message: outcome.failure.message })
    case 'done':
      return t('{jobTitle} is done.', { jobTitle: jobTitle(job) })
  }
}
