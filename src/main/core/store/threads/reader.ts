/** Opens a StoreReader in the caller's thread, for tools and tests, or over the readers' thread. */
import type { MessagePort } from 'node:worker_threads'
import { CodedError, toFailure } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import type { VerifyReport } from '../../../../shared/core/recording/session.ts'
import { BarReader } from '../read/bars.ts'
import { readExtent } from '../read/extent.ts'
import { readLedger } from '../read/ledger-read.ts'
import { StoreQueries } from '../read/queries.ts'
import { readTicks } from '../read/ticks.ts'
import { FlushReader, type FlushStep } from '../replay/flush-reader.ts'
import { ReplaySql } from '../read/replay-sql.ts'
import { createReplayMethods, findWallMs, readBatches, type ReplayMethods } from '../replay/replay-read.ts'
import { isLocked } from '../schema/lock.ts'
import { openForReading, storeError } from '../schema/sqlite.ts'
import { realStorePath, refuseSecondName } from '../schema/store-path.ts'
import { findLostFrom } from '../write/crash-recovery.ts'
import type { FlushQuery } from '../types/flushes.ts'
import type { DigestFolds, StoreReader } from '../types/reader.ts'
import type { TickSource } from '../types/ticks.ts'
import { saveFindings } from '../library/findings.ts'
import { verifyStore, type VerifyProgress } from '../verify/verify.ts'
import {
  buffersOf,
  callMethod,
  Caller,
  createRequest,
  forwardCalls,
  isCanceled,
  type Call,
  type Reply,
  type Request,
} from '../rpc/rpc.ts'
import { openInThread, startThread, waitForThread, type Opened } from '../rpc/thread.ts'

/** Methods of a StoreReader that are a single call. */
const SINGLE_CALLS = [
  'sessions',
  'instruments',
  'ledgerHead',
  'ledger',
  'bars',
  'gaps',
  'shares',
  'extent',
  'findPosition',
  'lostFrom',
  'activity',
  'snapshot',
  'entries',
  'bookmarks',
] as const satisfies readonly (keyof StoreReader)[]

type SingleCalls = Pick<StoreReader, (typeof SINGLE_CALLS)[number]>

/** The same methods, which return their result at once. */
type AtOnce<M> = {
  [K in keyof M]: M[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => R : never
}

/** What a reader's connection to the store does. Blocks of ticks are decoded by the caller, who needs their columns. */
interface ReaderMethods extends AtOnce<SingleCalls>, ReplayMethods, TickSource {
  nextFlushes(query: FlushQuery): FlushStep
  /** Throws `cancelled`. */
  verify(session: SessionId | null): VerifyReport
  close(): void
}

/** Methods whose results own their buffers. */
const TRANSFERRED: ReadonlySet<string> = new Set<keyof ReaderMethods>(['openReplay', 'nextReplay', 'snapshot'])

export interface LocalReader extends StoreReader {
  readonly queries: StoreQueries
}

/** Opens a store read-only. Throws CodedError. Without `folds`, digests are verified as entries only. */
export function openLocalReader(path: string, folds?: DigestFolds): LocalReader {
  const { queries, respond } = openMethods(path, folds)
  const call: Call<ReaderMethods> = async (method, args, { onProgress, signal } = {}) => {
    const value = respond(createRequest<ReaderMethods, typeof method>(method, args), (done, messages) => {
      onProgress?.(done, messages)
      return signal?.aborted === true
    })
    return (await value) as never // the method's result
  }
  return { queries, ...createReader(call, () => call('close', [])) }
}

/** Starts the readers' thread. Rejects with `not-found`, `store-newer`, `store-damaged` or a disk error. */
export async function openRemoteReader(file: string, worker: URL): Promise<StoreReader> {
  let ended: Error | null = null
  const { thread, opened } = startThread(
    worker,
    file,
    { name: 'reader', hint: 'Restart Tapedeck.' },
    {
      onReply: (reply) => {
        if (reply.is !== 'opened') caller.settle(reply)
        if (caller.isIdle) thread.unref()
      },
      onEnd: (error) => {
        ended = error
        caller.rejectAll(error)
      },
    },
  )
  const caller = new Caller<ReaderMethods>((request, transfer) => {
    // An idle reader must not keep a finished process alive; one with pending calls must.
    thread.ref()
    thread.postMessage(request, transfer)
  })
  const call: Call<ReaderMethods> = (...args) => (ended === null ? caller.call(...args) : Promise.reject(ended))
  await opened
  return createReader(call, async () => {
    if (ended !== null) return
    await call('close', []).catch(() => undefined)
    await waitForThread(thread)
  })
}

/** Opens the store read-only and serves the port until `close`. */
export function serveReader(port: MessagePort, file: string, folds?: DigestFolds): void {
  const methods = openInThread(port, () => openMethods(file, folds))
  if (methods === null) return
  const reply = (message: Reply | Opened, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)
  // The port carries only what the reader sends.
  port.on('message', (request: Request<ReaderMethods>) => {
    const { call, method } = request
    const value = methods.respond(request, (done, messages) => {
      reply({ is: 'progress', call, done, messages })
      return isCanceled(request)
    })
    value.then(
      (value) => {
        const isOwned = TRANSFERRED.has(method) && typeof value === 'object' && value !== null
        reply({ is: 'done', call, value }, isOwned ? buffersOf(value) : [])
        if (method === 'close') port.close()
      },
      (thrown: unknown) => reply({ is: 'failed', call, failure: toFailure(thrown) }),
    )
  })
  reply({ is: 'opened', notices: [] })
}

/** Reports the progress of a request; returns whether the request is canceled. */
type ReportProgress = (...progress: Parameters<VerifyProgress>) => boolean

function openMethods(path: string, folds: DigestFolds | undefined) {
  const file = realStorePath(path)
  refuseSecondName(file)
  const db = openForReading(file)
  const replaySql = new ReplaySql(db)
  const replays = createReplayMethods(replaySql)
  const queries = new StoreQueries(db, () => isLocked(file), {
    wallMsAt: (session, seq) => findWallMs(replaySql, session, seq),
    seqAt: (session, ms) => replays.findPosition({ session, ms })?.seq ?? 0,
  })
  const bars = new BarReader(queries)
  const flushes = new FlushReader(replaySql)
  const methods: Omit<ReaderMethods, 'verify'> = {
    ...replays,
    nextFlushes: (query) => flushes.read(query),
    sessions: (brief) => queries.sessions(brief),
    instruments: (query) => queries.instruments(query),
    ledgerHead: (sessions) => queries.ledgerHead(sessions),
    ledger: (session) => readLedger(queries, session),
    bars: (query) => db.transaction(() => bars.bars(query)).deferred(),
    gaps: (query) => queries.gaps(query),
    shares: (sessions, source) => queries.shares(sessions, source),
    extent: (query) => readExtent(queries, query),
    lostFrom: (session) => db.transaction(() => findLostFrom(db, session)).deferred(),
    plan: (query) => queries.plan(query),
    window: (query, plan, after) => queries.window(query, plan, after),
    blocks: (query) => queries.blocks(query),
    close: () => void db.close(),
  }
  const verify = (session: SessionId | null, report: ReportProgress): VerifyReport => {
    const found = verifyStore(
      queries,
      session,
      (done, messages) => {
        if (report(done, messages)) throw new CodedError('cancelled', 'Verification was stopped.')
      },
      folds,
    )
    // Where that fails, such as on a read-only disk, the report is the only one to say it.
    saveFindings(file, session, found)
    return found
  }
  /** Rejects with CodedError. */
  const respond = async (request: Request<ReaderMethods>, report: ReportProgress): Promise<unknown> => {
    try {
      if (request.method === 'verify') return verify(request.args[0], report)
      return await callMethod(methods, request.method, request.args)
    } catch (thrown) {
      throw storeError(thrown, file)
    }
  }
  return { queries, respond }
}

function createReader(call: Call<ReaderMethods>, close: () => Promise<void>): StoreReader {
  const source: TickSource = {
    plan: (query) => call('plan', [query]),
    window: (query, plan, after) => call('window', [query, plan, after]),
    blocks: (query) => call('blocks', [query]),
  }
  return {
    ...forwardCalls<SingleCalls, keyof SingleCalls>(SINGLE_CALLS, call),
    ticks: (query) => readTicks(source, query),
    replay: (query, spares) => readBatches(call, query, spares),
    flushes: async (query) => {
      for (;;) {
        const { isPaused, ...page } = await call('nextFlushes', [query])
        if (!isPaused) return page
      }
    },
    verify: (session, onProgress, signal) => call('verify', [session], { onProgress, signal }),
    close,
  }
}
