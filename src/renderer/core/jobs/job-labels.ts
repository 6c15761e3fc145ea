/** Formats a job's progress: amount done, rate, time left. Pure. */
import type { JobState } from '../../../shared/core/jobs/jobs.ts'
import { t } from '../../../shared/base/text.ts'
import type { NumberText } from '../../text/format.ts'

/** No rate is shown before a job has run this long. */
const MIN_MS = 500

/** "412,000 rows · 41 MB · 210,000 rows/s · 4 s left". `nowMs` is on the wall clock. */
export function progressText(job: JobState, nowMs: number, numbers: NumberText): string {
  const { count, bytes, done } = job
  /** A job that counts bytes shows them only once. */
  const sized = job.unit === 'bytes'
  const unit = t(job.unit)
  const ranMs = (job.endedMs ?? nowMs) - job.startedMs
  // An import reads the whole file before it stores the first message.
  const isReading = job.kind === 'import' && job.outcome.is === 'running' && count === 0
  const counted = sized ? numbers.bytes(count) : t('{count} {unit}', { count: numbers.whole(count), unit })
  const words = [isReading ? t('Reading the file') : counted]
  if (bytes > 0 && !sized) words.push(numbers.bytes(bytes))
  if (ranMs >= MIN_MS && count > 0) {
    const rate = count / (ranMs / 1_000)
    words.push(
      sized ? t('{rate}/s', { rate: numbers.bytes(rate) }) : t('{rate} {unit}/s', { rate: numbers.whole(rate), unit }),
    )
  }
  if (job.outcome.is === 'running' && done !== null && done > 0.01 && ranMs >= MIN_MS) {
    words.push(t('{length} left', { length: lengthText((ranMs * (1 - done)) / done) }))
  }
  return words.join(' · ')
}

/** Formats a length of time in ms: "4 s", "3 min", "2 h 10 min". */
export function lengthText(ms: number): string {
  const s = Math.max(1, Math.ceil(ms / 1_000))
  if (s < 60) return t('{s} s', { s })
  const min = Math.ceil(s / 60)
  return min < 60 ? t('{min} min', { min }) : t('{min} h {min2} min', { min: Math.floor(min / 60), min2: min % 60 })
}
