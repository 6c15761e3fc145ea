/** Exports and imports of the made-up terminal: canned answers, and jobs that a test moves on. */
import type { CallArgs, CallName } from '../../../../src/shared/contracts.ts'
import type { CsvMapping } from '../../../../src/shared/features/import/import.ts'
import type { JobState } from '../../../../src/shared/core/jobs/jobs.ts'
import { unixMs } from '../../../../src/shared/base/units.ts'

const GUESSED: CsvMapping = {
  columns: [null, 'symbol', 'price', 'size', null],
  feed: 'stocks/T',
  zone: 'UTC',
  symbol: '',
}

export class FakeExchange {
  jobs: readonly JobState[] = []
  /** What `export.estimate` says of a file of the same name. */
  exists = false
  readonly #changed: (jobs: readonly JobState[]) => void

  constructor(changed: (jobs: readonly JobState[]) => void) {
    this.#changed = changed
  }

  /** Changes a job, or adds one. */
  put(job: Partial<JobState> & Pick<JobState, 'id'>): void {
    const before = this.jobs.find(({ id }) => id === job.id)
    const fresh: JobState = {
      kind: 'export',
      title: 'ticks.csv',
      startedMs: unixMs(Date.now()),
      endedMs: null,
      done: null,
      unit: 'rows',
      count: 0,
      bytes: 0,
      outcome: { is: 'running' },
      ...before,
      ...job,
    }
    this.jobs = before ? this.jobs.map((one) => (one === before ? fresh : one)) : [...this.jobs, fresh]
    this.#changed(this.jobs)
  }

  answer(name: CallName, args: unknown): unknown {
    switch (name) {
      case 'export.defaults':
        return { folder: '/home/you/Downloads', canChoose: false }
      case 'export.choose':
        return '/home/you/Documents'
      case 'export.estimate':
        return { rows: 1_204_331, bytes: 118_400_000, files: 1, exists: this.exists, freeBytes: 23.1e9 }
      case 'export.start': {
        const { name: title } = args as CallArgs<'export.start'>
        const id = `job-${this.jobs.length + 1}`
        this.put({ id, title })
        return id
      }
      case 'files.begin':
        return { file: 'file-1' }
      case 'import.preview': {
        const { mapping } = args as CallArgs<'import.preview'>
        return {
          kind: 'table',
          name: 'trades.csv',
          bytes: 41_000_000,
          columns: ['when', 'ticker', 'price', 'qty', 'venue'],
          rows: [
            ['2026-01-05 14:30:00.120', 'AAPL', '187.12', '100', 'Q'],
            ['2026-01-05 14:30:00.344', 'AAPL', '187.11', '25', 'P'],
            ['2026-01-05 14:30:01.002', 'MSFT', '402.55', '10', 'Q'],
          ],
          mapping: mapping ?? GUESSED,
          problems:
            mapping === null ? [{ line: 1, text: 'No column is mapped to the time. Map a column to time.' }] : [],
          exact: false,
        }
      }
      case 'import.start': {
        const id = `job-${this.jobs.length + 1}`
        this.put({ id, kind: 'import', title: 'trades.csv', unit: 'messages' })
        return id
      }
      default:
        return null
    }
  }
}
