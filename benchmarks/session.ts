/** The live way as the terminal builds it, for measuring and for loss tests: feeds over real sockets, recorder, store, hub. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, type Clock } from '../src/main/base/clock.ts'
import { createFeeds } from '../src/main/core/feeds/feeds.ts'
import type { FeedListener } from '../src/main/core/feeds/connection/feed-listener.ts'
import { hubCalendar } from '../src/main/core/market/hub-calendar.ts'
import { createHub } from '../src/main/core/market/hub.ts'
import type { Recorder } from '../src/main/core/recording/recorder-port.ts'
import { createRecorder } from '../src/main/core/recording/recorder.ts'
import type { LibraryWriter } from '../src/main/core/store/types/writer.ts'
import { openStoreWriter } from '../src/main/core/store/open.ts'
import { newSessionId } from '../src/main/core/store/types/session-id.ts'
import type { FeedId, SessionId } from '../src/shared/base/units.ts'

export const STORE_WORKER = new URL('../src/main/store-worker.ts', import.meta.url)

export interface SessionOptions {
  /** The store. */
  readonly file: string
  readonly baseUrl: string
  /** The bearer token; any text where the service does not look. */
  readonly access?: string
  readonly wants: readonly (readonly [feed: FeedId, symbols: readonly string[]])[]
  /** Called at each record, after the hub took it. */
  readonly seen?: (seq: number, monoNs: number) => void
  readonly maxBacklogBytes?: number
  /** The machine's unless told. */
  readonly clock?: Clock
}

export interface LiveSession {
  readonly session: SessionId
  readonly recorder: Recorder
  readonly writer: LibraryWriter
  /** Records that reached the hub. */
  readonly applied: () => number
  /** Settles when so many frames are durable; rejects when frames were lost. */
  stored(frames: number): Promise<void>
  /** Closes the connections, ends the recording, closes the store. */
  close(): Promise<void>
}

/** Records and watches what is wanted. */
export async function startSession(options: SessionOptions): Promise<LiveSession> {
  const {
    file,
    baseUrl,
    access = 'none',
    wants,
    seen = () => undefined,
    maxBacklogBytes,
    clock = systemClock,
  } = options
  const writer = await openStoreWriter({ file, worker: STORE_WORKER })
  const recorder = createRecorder({
    writer,
    clock,
    newId: newSessionId,
    ...(maxBacklogBytes === undefined ? {} : { maxBacklogBytes }),
  })
  const hub = createHub({ calendar: hubCalendar })
  let applied = 0
  const listener: FeedListener = {
    record(from, seq, recvMs, monoNs, record) {
      applied++
      hub.apply(from, seq, recvMs, record)
      seen(seq, monoNs)
    },
    state: (from, state) => hub.feedState(from, state, clock.wallMs()),
    acknowledged: (...args) => hub.acknowledged(...args),
    gapOpened: (...args) => hub.gapOpened(...args),
    gapClosed: (...args) => hub.gapClosed(...args),
    problem: (from, why) => console.error(`${from}: ${why.message}`),
    log: () => undefined,
  }
  const token = { access, expiresMs: null }
  const session = await recorder.start({ kind: 'service', origin: new URL(baseUrl).origin, user: 'test' })
  const feeds = createFeeds({
    baseUrl: () => baseUrl,
    token: { get: () => Promise.resolve(token), renew: () => Promise.resolve(token) },
    recorder,
    listener,
    clock,
    allowSharding: () => false,
  })
  for (const [feed, symbols] of wants) feeds.subscribe(feed, symbols)
  return {
    session,
    recorder,
    writer,
    applied: () => applied,
    stored: (frames) =>
      new Promise((done, fail) => {
        const look = (): void => {
          const { stored, lost } = recorder.stats()
          if (lost > 0) fail(new Error(`${lost} frames were lost`))
          else if (stored < frames) return
          off()
          done()
        }
        const off = writer.onEvent(look)
        look()
      }),
    async close() {
      await feeds.close()
      await recorder.stop()
      await writer.close()
    },
  }
}

/** Runs `work` with a folder that is removed after it. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
