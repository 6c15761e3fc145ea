/** StoreReader in the caller's thread: for tools, for tests, and inside the reader's thread. */
import { CodedError } from '../../shared/errors.ts'
import { BarReader } from './bars.ts'
import { readExtent } from './extent.ts'
import { readLedger } from './ledger-read.ts'
import { isLocked } from './lock.ts'
import type { DigestFolds, StoreReader } from './port.ts'
import { StoreQueries } from './queries.ts'
import { openForReading, storeError } from './sqlite.ts'
import { Reviewer, reviewReader, type ReviewRequest } from './replay-read.ts'
import { realStorePath, refuseSecondName } from './store-path.ts'
import { readTicks } from './ticks.ts'
import { verifyStore } from './verify.ts'

export interface LocalReader extends StoreReader {
  readonly queries: StoreQueries
  readonly review: Reviewer
}

/** Opens a store read-only; throws CodedError. Without `folds`, digests are verified as entries only. */
export function openLocalReader(path: string, folds?: DigestFolds): LocalReader {
  const file = realStorePath(path)
  refuseSecondName(file)
  const db = openForReading(file)
  const queries = new StoreQueries(db, () => isLocked(file))
  const bars = new BarReader(queries)
  const review = new Reviewer(db)
  const answer = async <T>(run: () => T): Promise<T> => {
    try {
      return await Promise.resolve(run())
    } catch (thrown) {
      throw storeError(thrown, file)
    }
  }
  return {
    queries,
    review,
    sessions: (brief) => answer(() => queries.sessions(brief)),
    instruments: (query) => answer(() => queries.instruments(query)),
    ledgerHead: (recordings) => answer(() => queries.ledgerHead(recordings)),
    ticks: (query) => readTicks(queries, query),
    bars: (query) => answer(() => db.transaction(() => bars.bars(query)).deferred()),
    gaps: (query) => answer(() => queries.gaps(query)),
    extent: (query) => answer(() => readExtent(queries, query)),
    // Reviewer answers each request with the value that its name stands for.
    ...reviewReader(<T>(request: ReviewRequest) => answer(() => review.answer(request).value as T)),
    ledger: (recording) => answer(() => readLedger(queries, recording)),
    verify: (session, onProgress, signal) =>
      answer(() => {
        const progress = (done: number, messages: number): void => {
          onProgress?.(done, messages)
          if (signal?.aborted === true) throw new CodedError('cancelled', 'Verification was stopped.')
        }
        return verifyStore(queries, session, progress, folds)
      }),
    close: () => answer(() => void db.close()),
  }
}
