/** A StoreReader in the caller's thread, for tools, tests and the readers' thread. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { BarReader } from '../read/bars.ts'
import { readExtent } from '../read/extent.ts'
import { readLedger } from '../read/ledger-read.ts'
import { isLocked } from '../schema/lock.ts'
import type { DigestFolds, StoreReader } from '../types/store.ts'
import { StoreQueries } from '../read/queries.ts'
import { openForReading, storeError } from '../schema/sqlite.ts'
import { ReplayResponder, createReplayReader, type ReplayRequest } from '../replay/replay-read.ts'
import { realStorePath, refuseSecondName } from '../schema/store-path.ts'
import { readTicks } from '../read/ticks.ts'
import { verifyStore } from '../verify/verify.ts'

export interface LocalReader extends StoreReader {
  readonly queries: StoreQueries
  readonly review: ReplayResponder
}

/** Opens a store read-only. Throws CodedError. Without `folds`, digests are verified as entries only. */
export function openLocalReader(path: string, folds?: DigestFolds): LocalReader {
  const file = realStorePath(path)
  refuseSecondName(file)
  const db = openForReading(file)
  const queries = new StoreQueries(db, () => isLocked(file))
  const bars = new BarReader(queries)
  const review = new ReplayResponder(db)
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
    // ReplayResponder answers each request with the value named by the request.
    ...createReplayReader(<T>(request: ReplayRequest) => answer(() => review.respond(request).value as T)),
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
