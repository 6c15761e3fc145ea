/** Waiting until what was received is on disk: a reader asked too early would miss the last milliseconds. */
import type { RecordingId } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import type { StoreWriter } from '../store/types/store.ts'

/** A disk that does not answer must not hold a chart: after this the reader is asked anyway. */
const LONGEST_MS = 500

export interface CommitWatch {
  /** Resolves once everything up to `seq` of the recording now open is durable, or after half a second. */
  upTo(seq: number): Promise<void>
  /** A recording began: seqs count anew. Commits of the one before it may still come. */
  began(recording: RecordingId): void
}

interface Waiting {
  readonly recording: RecordingId | null
  readonly seq: number
  readonly done: () => void
}

/** Follows a writer. */
export function watchCommits(writer: Pick<StoreWriter, 'onEvent'>, clock: Clock): CommitWatch {
  let open: RecordingId | null = null
  let committed: { readonly recording: RecordingId | null; readonly seq: number } = { recording: null, seq: 0 }
  let waiting: Waiting[] = []
  /** Recordings are committed one after the other: a commit of the one now open is after all of the others. */
  const durable = ({ recording, seq }: Pick<Waiting, 'recording' | 'seq'>) =>
    recording === committed.recording ? seq <= committed.seq : committed.recording === open && recording !== open
  writer.onEvent((event) => {
    if (event.is !== 'committed') return
    committed = { recording: event.recording, seq: event.seq }
    if (waiting.length === 0) return
    const now = waiting.filter(durable)
    waiting = waiting.filter((one) => !now.includes(one))
    for (const { done } of now) done()
  })
  return {
    began(recording) {
      open = recording
    },
    upTo(seq) {
      const asked = { recording: open, seq }
      if (durable(asked)) return Promise.resolve()
      return new Promise((resolve) => {
        const one = {
          ...asked,
          done: () => {
            undo()
            resolve()
          },
        }
        const undo = clock.after(LONGEST_MS, () => {
          waiting = waiting.filter((other) => other !== one)
          resolve()
        })
        waiting.push(one)
      })
    },
  }
}
