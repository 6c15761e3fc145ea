/**
 * A store that may not be available yet: locked by another Tapedeck, on a full disk, or of a newer format. Live data
 * doesn't need it, so writer and reader open when they can and fail until then.
 */
import type { Clock } from '../../base/clock.ts'
import type { SessionId, UnixMs } from '../../../shared/base/units.ts'
import type { Source } from '../../../shared/core/recording/session.ts'
import { CodedError, toFailure, type ErrorCode } from '../../../shared/base/errors.ts'
import type { GapInterval } from '../../../shared/core/market/bars.ts'
import type { Overlap } from '../../../shared/features/sessions/overlaps.ts'
import { Listeners } from '../../../shared/base/listeners.ts'
import { callMethod, forwardCalls } from './rpc/rpc.ts'
import type { LibraryWriter, StoreWriter, WriterEvent } from './types/writer.ts'
import type { ReplayBatch, ReplayQuery } from './types/replay.ts'
import type { StoreLibrary } from './types/library.ts'
import type { StoreReplicas } from './types/replica.ts'
import type { StoreReader } from './types/reader.ts'
import type { TickColumns, TickQuery } from './types/ticks.ts'

/** How long to wait before trying to open a reader again, because a window sends many requests at once. */
const RETRY_MS = 1_000

/** Methods that only need an open reader. */
const FORWARDED = [
  'sessions',
  'instruments',
  'ledger',
  'ledgerHead',
  'gaps',
  'shares',
  'extent',
  'flushes',
  'findPosition',
  'lostFrom',
  'activity',
  'snapshot',
  'entries',
  'bookmarks',
  'verify',
] as const satisfies readonly (keyof StoreReader)[]

/** Whether waiting alone can make a store usable. */
export const canRecover = (code: ErrorCode): boolean =>
  code === 'store-locked' || code === 'disk-full' || code === 'disk-error'

export interface BegunSession {
  readonly id: SessionId
  readonly source: Source
  readonly startedMs: UnixMs
}

export interface LateWriter extends StoreWriter {
  /** The library of the open store. Throws if the store isn't open for writing. */
  library(): StoreLibrary
  /** The replicas of the open store. Throws if the store isn't open for writing. */
  replicas(): StoreReplicas
  /** Opens the store unless it is open. Rejects with the reason if it can't. */
  open(): Promise<void>
  /** Calls back before each session begins, so that nothing of it is stored yet. Must not throw. */
  onBegin(listener: (begun: BegunSession) => void): () => void
  /** Closes the store; `open` opens it again, wherever it is then. The session must have ended. */
  pause(): Promise<void>
}

/** A writer opened by `open`. Before that it drops batches, and `begin` rejects. */
export function createLateWriter(openWriter: () => Promise<LibraryWriter>): LateWriter {
  const listeners = new Listeners<[event: WriterEvent]>()
  const beginners = new Set<(begun: BegunSession) => void>()
  let writer: LibraryWriter | null = null
  let opening: Promise<void> | null = null
  let closed = false
  const mustBeOpen = (): LibraryWriter => {
    if (writer === null) throw new CodedError('disk-error', 'The store isn’t open for writing.')
    return writer
  }
  return {
    open() {
      if (writer !== null) return Promise.resolve()
      opening ??= openWriter()
        .then(async (opened) => {
          if (closed) return opened.close()
          writer = opened
          opened.onEvent((event) => listeners.call(event))
        })
        .finally(() => {
          opening = null
        })
      return opening
    },
    library: () => mustBeOpen().library,
    replicas: () => mustBeOpen().replicas,
    begin: async (source, startedMs, id) => {
      const open = mustBeOpen()
      if (id !== undefined) for (const listener of beginners) listener({ id, source, startedMs })
      return open.begin(source, startedMs, id)
    },
    onBegin(listener) {
      beginners.add(listener)
      return () => void beginners.delete(listener)
    },
    append: (batch) => writer?.append(batch),
    get backlogBytes() {
      return writer?.backlogBytes ?? 0
    },
    onEvent: listeners.add,
    snapshot: (snapshot) => writer?.snapshot(snapshot),
    addBookmark: async (bookmark) => mustBeOpen().addBookmark(bookmark),
    removeBookmark: async (id) => mustBeOpen().removeBookmark(id),
    end: async (endedMs, counts) => writer?.end(endedMs, counts),
    async pause() {
      await opening?.catch(() => undefined)
      const last = writer
      writer = null
      await last?.close()
    },
    async close() {
      closed = true
      await opening?.catch(() => undefined)
      await writer?.close()
    },
  }
}

export interface LateReader extends StoreReader {
  /** Opens the store unless it is open. Rejects with the reason if it can't. */
  open(): Promise<void>
  /** The store can be opened now: the next query doesn't wait, and doesn't get a failure from before. */
  retry(): void
  /** Closes the store; the next query opens it again, wherever it is then. */
  pause(): Promise<void>
  /** Nothing can be read now, and `onFailure` was called. */
  readonly failing: boolean
}

/** The first corrupt span found in a source when its bars were read. */
export interface FoundCorruption {
  /** `corrupt`: messages. `rebuilt`: bars, which were rebuilt from their messages. */
  readonly what: 'corrupt' | 'rebuilt'
  readonly source: string
  /** UTC ms. */
  readonly span: GapInterval
}

/**
 * A reader that opens with the first query, and again after a failure. `onFailure` is called for the first of several
 * failures in a row, `onOverlap` once per source whose sessions cover the same time, and `onCorrupt` once per source
 * and kind of corruption that bars skipped.
 */
export function createLateReader(
  openReader: () => Promise<StoreReader>,
  clock: Clock,
  onFailure: (thrown: unknown) => void,
  onOverlap: (overlaps: readonly Overlap[]) => void = () => undefined,
  onCorrupt: (found: FoundCorruption) => void = () => undefined,
): LateReader {
  const overlapped = new Set<string>()
  const reported = new Set<string>()
  let reader: Promise<StoreReader> | null = null
  /** The last opening that failed. */
  let failed: Promise<StoreReader> | null = null
  let failing = false
  let closed = false
  let retries = 0
  const opened = (): Promise<StoreReader> => {
    if (closed) return Promise.reject(new CodedError('cancelled', 'Tapedeck is closing.'))
    if (reader !== null) return reader
    const before = retries
    const opening = openReader().then(
      (one) => {
        failing = false
        return one
      },
      (thrown: unknown): Promise<StoreReader> => {
        if (retries !== before) {
          if (reader === opening) reader = null
          return opened()
        }
        failed = opening
        clock.after(RETRY_MS, () => {
          if (reader === opening) reader = null
        })
        // A store that doesn't exist yet is empty, which is no failure.
        if (!failing && toFailure(thrown).code !== 'not-found') onFailure(thrown)
        failing = true
        throw thrown
      },
    )
    reader = opening
    return opening
  }
  async function* ticks(query: TickQuery): AsyncIterable<TickColumns> {
    yield* (await opened()).ticks(query)
  }
  async function* replay(query: ReplayQuery, spares?: ArrayBuffer[]): AsyncIterable<ReplayBatch> {
    yield* (await opened()).replay(query, spares)
  }
  return {
    open: async () => void (await opened()),
    get failing() {
      return failing
    },
    ...forwardCalls<StoreReader, (typeof FORWARDED)[number]>(FORWARDED, async (method, args) =>
      callMethod(await opened(), method, args),
    ),
    ticks,
    async bars(query) {
      const page = await (await opened()).bars(query)
      if (page.overlaps !== undefined && !overlapped.has(query.source)) {
        overlapped.add(query.source)
        onOverlap(page.overlaps)
      }
      for (const what of ['corrupt', 'rebuilt'] as const) {
        const [span] = (what === 'corrupt' ? page.gaps : page.rebuilt) ?? []
        if (span === undefined || reported.has(`${what} ${query.source}`)) continue
        reported.add(`${what} ${query.source}`)
        onCorrupt({ what, source: query.source, span })
      }
      return page
    },
    replay,
    retry() {
      retries++
      if (reader === failed) reader = null
    },
    async pause() {
      const last = reader
      reader = null
      const one = await last?.catch(() => null)
      await one?.close()
    },
    async close() {
      const last = reader
      closed = true
      const one = await last?.catch(() => null)
      await one?.close()
    },
  }
}
