/** Waiting until what was received is on disk: a reader asked too early would miss the last milliseconds. */
import type { Clock } from '../clock.ts'
import type { StoreWriter } from '../store/port.ts'

/** A disk that does not answer must not hold a chart: after this the reader is asked anyway. */
const LONGEST_MS = 500

export interface CommitWatch {
  /** Resolves once everything up to `seq` of the recording now open is durable, or after half a second. */
  upTo(seq: number): Promise<void>
  /** A recording began: seqs count anew. */
  began(): void
}

/** Follows a writer. */
export function watchCommits(writer: Pick<StoreWriter, 'onEvent'>, clock: Clock): CommitWatch {
  let committed = 0
  let waiting: { readonly seq: number; readonly done: () => void }[] = []
  writer.onEvent((event) => {
    if (event.is !== 'committed') return
    committed = event.seq
    if (waiting.length === 0) return
    const now = waiting.filter((one) => one.seq <= committed)
    waiting = waiting.filter((one) => one.seq > committed)
    for (const { done } of now) done()
  })
  return {
    began() {
      committed = 0
    },
    upTo(seq) {
      if (seq <= committed) return Promise.resolve()
      return new Promise((resolve) => {
        const done = () => {
          undo()
          resolve()
        }
        const one = { seq, done }
        const undo = clock.after(LONGEST_MS, () => {
          waiting = waiting.filter((other) => other !== one)
          resolve()
        })
        waiting.push(one)
      })
    },
  }
}
