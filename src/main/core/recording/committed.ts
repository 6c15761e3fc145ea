/**
 * Waits until received messages are on disk, because a reader that starts too early would miss the last milliseconds.
 */
import type { SessionId } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import type { StoreWriter } from '../store/types/writer.ts'

/** The longest wait, ms: a hung disk must not block a chart. */
const MAX_WAIT_MS = 500

export interface CommitWatch {
  /**
   * Resolves with true once everything up to `seq` of the open session is durable. With false after half a second, or if no session has a
   * message yet.
   */
  upTo(seq: number): Promise<boolean>
  /** A session began, so seqs start over. Commits of the previous one may still arrive. */
  began(session: SessionId): void
}

interface Waiting {
  readonly session: SessionId | null
  readonly seq: number
  readonly done: (isDurable: boolean) => void
}

export function watchCommits(writer: Pick<StoreWriter, 'onEvent'>, clock: Clock): CommitWatch {
  let open: SessionId | null = null
  let committed: { readonly session: SessionId | null; readonly seq: number } = { session: null, seq: 0 }
  let waiting: Waiting[] = []
  /** Sessions are committed in order, so a commit of the open one means that all earlier ones are durable. */
  const isDurable = ({ session, seq }: Pick<Waiting, 'session' | 'seq'>) =>
    session === committed.session ? seq <= committed.seq : committed.session === open && session !== open
  writer.onEvent((event) => {
    if (event.is !== 'committed') return
    committed = { session: event.session, seq: event.seq }
    if (waiting.length === 0) return
    const ready = waiting.filter(isDurable)
    waiting = waiting.filter((one) => !ready.includes(one))
    for (const { done } of ready) done(true)
  })
  return {
    began(session) {
      open = session
    },
    upTo(seq) {
      const target = { session: open, seq }
      // Before the first message, nothing says whether the session could begin.
      if (isDurable(target)) return Promise.resolve(open !== null)
      return new Promise((resolve) => {
        const one = {
          ...target,
          done: (isDone: boolean) => {
            undo()
            resolve(isDone)
          },
        }
        const undo = clock.after(MAX_WAIT_MS, () => {
          waiting = waiting.filter((other) => other !== one)
          resolve(false)
        })
        waiting.push(one)
      })
    },
  }
}
