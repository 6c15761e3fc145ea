/**
 * The sample session of a first start: the last hours of the demo market, computed by its simulator and stored before
 * the first live session, so that charts have history and there is something to replay.
 */
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { encodeAcknowledgement } from '../../../service/control.ts'
import { CodedError, type Failure } from '../../../shared/base/errors.ts'
import { FLAG, type LedgerEntry, DEMO_SOURCE } from '../../../shared/core/recording/session.ts'
import type { WatchSymbol } from '../../../shared/core/settings/settings.ts'
import { FEED_IDS, unixMs, type FeedId, type SessionId } from '../../../shared/base/units.ts'
import type { HistoryChunk, HistoryRequest, HistorySubscription } from '../../../simulator/history.ts'
import { newColumns } from '../../core/store/format/message-columns.ts'
import type { Batch, StoredEntry } from '../../core/store/types/messages.ts'
import type { StoreLibrary } from '../../core/store/types/library.ts'

const HOURS = 3
const SAMPLE_MS = HOURS * 3_600_000
export const SAMPLE_NAME = 'Demo sample session'
const NOTES =
  `${HOURS} hours of the demo market up to the first start of Tapedeck, computed by the demo market and not received over a ` +
  'connection: receive times are the times at which it sends. BTC, ETH, EURUSD, NZDUSD, SPY and IBM are real records moved ' +
  'to the present; the other symbols are made up. Delete it any time.'
/** The feed that charts and lists of an asset class are built from. */
const PRICE_FEED = { crypto: 'crypto/XT', forex: 'forex/C', stocks: 'stocks/T' } as const
/** Messages of one flush. */
const FLUSH_ROWS = 4_096

/** Computes an interval of the demo market's history, one chunk at a time. */
export type ReadHistory = (request: HistoryRequest) => AsyncIterable<HistoryChunk>

export interface SampleOptions {
  readonly library: Pick<StoreLibrary, 'importSession'>
  readonly read: ReadHistory
  readonly newId: (startedMs: number) => SessionId
  readonly symbols: readonly WatchSymbol[]
  readonly seed: number | undefined
  /** End of the session, no later than the start of the live session. UTC ms. */
  readonly toMs: number
  /** Length of the session, ms; default three hours. */
  readonly lengthMs?: number | undefined
  readonly signal: AbortSignal
}

export interface SampleSession {
  /** Resolves once the session has its place in the store, before any session that begins later. */
  readonly begun: Promise<void>
  /** Resolves to the number of messages; rejects with `cancelled` or a disk error, and then nothing is stored. */
  readonly stored: Promise<number>
}

/** Starts storing the sample session, concurrently with other uses of the store. */
export function storeSample(options: SampleOptions): SampleSession {
  const { library, read, newId, seed, toMs, lengthMs = SAMPLE_MS, signal } = options
  const fromMs = toMs - lengthMs
  const subscriptions = subscriptionsOf(options.symbols)
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  async function* batches(): AsyncGenerator<Batch, void, void> {
    // The library requests the first batch once it has begun the session.
    begin()
    const writer = createSampleWriter(subscriptions, fromMs)
    yield writer.open()
    for await (const chunk of read({ subscriptions, fromMs, toMs, seed })) yield* writer.take(chunk)
    yield writer.close(toMs)
  }
  const stored = library
    .importSession(
      {
        id: newId(fromMs),
        source: DEMO_SOURCE,
        startedMs: unixMs(fromMs),
        endedMs: unixMs(toMs),
        clean: true,
        from: 'the demo market',
        label: { name: SAMPLE_NAME, notes: NOTES, tags: ['sample', 'demo'] },
      },
      batches(),
      { signal },
    )
    .then(({ messages }) => messages)
    .finally(begin)
  return { begun, stored }
}

/** The symbols by price feed, in their original order. */
function subscriptionsOf(symbols: readonly WatchSymbol[]): HistorySubscription[] {
  const byFeed = new Map<FeedId, string[]>()
  for (const { asset, symbol } of symbols) {
    const feed = PRICE_FEED[asset]
    const listed = byFeed.get(feed) ?? []
    if (!listed.includes(symbol)) byFeed.set(feed, [...listed, symbol])
  }
  return [...byFeed].map(([feed, listed]) => ({ feed, symbols: listed }))
}

/** Numbers the messages and entries of a session with one connection per feed. */
function createSampleWriter(subscriptions: readonly HistorySubscription[], fromMs: number) {
  let seq = 0
  const connSeq = subscriptions.map(() => 0)
  const connOf = new Uint32Array(FEED_IDS.length)
  for (const [i, { feed }] of subscriptions.entries()) connOf[FEED_IDS.indexOf(feed)] = i + 1
  const monoNs = (ms: number) => Math.round((ms - fromMs) * 1_000) * 1_000
  const entryAt = (ms: number, entry: LedgerEntry): StoredEntry => ({
    seq: ++seq,
    wallMs: ms,
    monoNs: monoNs(ms),
    entry,
  })

  return {
    /** The entries that connect, subscribe and acknowledge. */
    open(): Batch {
      const texts = subscriptions.map(({ symbols }) =>
        new TextEncoder().encode(encodeAcknowledgement('subscribe', symbols)),
      )
      const messages = newColumns(
        texts.length,
        texts.reduce((sum, { length }) => sum + length, 0),
      )
      const entries: StoredEntry[] = []
      for (const [i, { feed, symbols }] of subscriptions.entries()) {
        const conn = i + 1
        entries.push(
          entryAt(fromMs, { type: 'connecting', feed, conn }),
          entryAt(fromMs, { type: 'connected', feed, conn }),
          entryAt(fromMs, { type: 'subscribe', feed, conn, symbols }),
        )
        messages.seq[i] = ++seq
        messages.conn[i] = conn
        messages.connSeq[i] = ++connSeq[i]
        messages.recvMs[i] = fromMs
        messages.flags[i] = FLAG.control
        messages.bytes.set(texts[i], messages.offsets[i])
        messages.offsets[i + 1] = messages.offsets[i] + texts[i].length
        entries.push(
          entryAt(fromMs, { type: 'acknowledged', feed, conn, symbols }),
          entryAt(fromMs, { type: 'state', feed, conn, state: 'open' }),
        )
      }
      return { messages, entries, connections: subscriptions.map(({ feed }, i) => ({ conn: i + 1, feed })) }
    },
    *take(chunk: HistoryChunk): Generator<Batch, void, void> {
      for (let from = 0; from < chunk.count; from += FLUSH_ROWS) {
        const count = Math.min(FLUSH_ROWS, chunk.count - from)
        const start = chunk.offsets[from]
        const messages = newColumns(count, chunk.offsets[from + count] - start)
        messages.bytes.set(chunk.bytes.subarray(start, chunk.offsets[from + count]))
        for (let i = 0; i < count; i++) {
          const conn = connOf[chunk.feed[from + i]]
          messages.seq[i] = ++seq
          messages.conn[i] = conn
          messages.connSeq[i] = ++connSeq[conn - 1]
          messages.recvMs[i] = chunk.sentMs[from + i]
          messages.monoNs[i] = monoNs(chunk.sentMs[from + i])
          messages.offsets[i + 1] = chunk.offsets[from + i + 1] - start
        }
        yield { messages, entries: [] }
      }
    },
    /** The entries that disconnect. As at the end of any session, a gap follows. */
    close(toMs: number): Batch {
      const entries = subscriptions.flatMap(({ feed, symbols }, i) => [
        entryAt(toMs, { type: 'disconnected', feed, conn: i + 1, closeCode: 1000, reason: '' }),
        entryAt(toMs, { type: 'gap-open', feed, cause: 'quit', symbols, fromMs: unixMs(toMs) }),
        entryAt(toMs, { type: 'state', feed, conn: 0, state: 'idle' }),
      ])
      return { messages: newColumns(0, 0), entries }
    },
  }
}

/** The worker's messages that are handled here; all of them are in `simulator/worker.ts`. */
type Report =
  | { readonly type: 'history'; readonly chunk: HistoryChunk | null }
  | { readonly type: 'failed'; readonly failure: Failure }

/**
 * Reads the history in a worker thread. Iterating rejects with the worker's error; ending the iteration stops the
 * worker.
 */
export const readHistoryIn = (worker: URL, dataDir: URL): ReadHistory =>
  async function* (history) {
    const thread = new Worker(worker, {
      workerData: { dataDir: fileURLToPath(dataDir), history },
      name: 'demo history',
    })
    try {
      for (;;) {
        const report = await responseOf(thread)
        if (report.type === 'failed') throw new CodedError(report.failure.code, report.failure.message)
        if (report.chunk === null) return
        yield report.chunk
      }
    } finally {
      await thread.terminate()
    }
  }

/** Requests the next chunk from the worker. */
function responseOf(thread: Worker): Promise<Report> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      thread.off('message', take)
      thread.off('error', fail)
      thread.off('exit', end)
      act()
    }
    const take = (report: Report): void => settle(() => resolve(report))
    const fail = (cause: Error): void =>
      settle(() => reject(new CodedError('internal', 'The demo history failed.', { cause })))
    const end = (): void => settle(() => reject(new CodedError('internal', 'The demo history ended early.')))
    thread.on('message', take)
    thread.on('error', fail)
    thread.on('exit', end)
    thread.postMessage({ type: 'next' })
  })
}
