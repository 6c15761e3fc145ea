/** A team in memory: its log with a lossy live side, its history, and a store of replicas that verifies. */
import { LeafHasher } from '../../../../../../src/main/core/store/format/leaves.ts'
import { entryRow } from '../../../../../../src/main/core/store/format/ledger.ts'
import type { Batch } from '../../../../../../src/main/core/store/types/messages.ts'
import type { ReplicaEnd, StoreReplicas } from '../../../../../../src/main/core/store/types/replica.ts'
import {
  advanceHeads,
  encodeFlushes,
  type EncodeOptions,
} from '../../../../../../src/main/features/team/frame/encode.ts'
import { newChain, type ChainHeads, type CommittedFlush } from '../../../../../../src/main/features/team/frame/frame.ts'
import { encodeReport } from '../../../../../../src/main/features/team/reports/report.ts'
import type {
  BucketEntry,
  ConnectionState,
  LiveMessage,
  StoredMessage,
  TeamBucket,
} from '../../../../../../src/main/features/team/nats/team-log.ts'
import type { TeamFollowerParts } from '../../../../../../src/main/features/team/follow/follower.ts'
import { NO_COPIES, type LocalCopies } from '../../../../../../src/main/features/team/follow/local-copies.ts'
import { TeamFollower } from '../../../../../../src/main/features/team/follow/follower.ts'
import type { SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import type { TeamName } from '../../../../../../src/main/features/team/names.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { sessionId, unixMs, type SessionId } from '../../../../../../src/shared/base/units.ts'
import { manualClock, type ManualClock } from '../../../../../kit/clock.ts'
import { T0, Writer, type Item } from '../../../core/store/harness.ts'
import { FEEDS, NONE, valueOf } from '../frame/flushes.ts'

export const TEAM = 'eu' as TeamName
export const numberedId = (n: number): SessionId => sessionId(`01khj7x0a0abcdefghjkmnp${String(n).padStart(3, '0')}`)

const NOTHING_HELD = { epoch: 0, spoolBytes: 0, spoolLimitBytes: null, unpublished: 0, trouble: null }

/** Lets everything that is under way go on until nothing changes any more. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Where a recorder publishes. */
export interface LogSink {
  put(info: SessionInfo): void
  publish(info: SessionInfo, bytes: Uint8Array, isLost: boolean): void
}

/** A recorder of one session. */
export class Recorder {
  readonly info: { -readonly [K in keyof SessionInfo]: SessionInfo[K] }
  readonly flushes: CommittedFlush[] = []
  readonly #log: LogSink
  readonly #writer = new Writer(FEEDS)
  readonly #hasher = new LeafHasher()
  heads: ChainHeads = NONE
  maxPayload = 1 << 20
  /** Signs each frame; null: none. */
  sign: EncodeOptions['sign'] | null = null

  constructor(log: LogSink, n: number, about: Partial<SessionInfo> = {}) {
    this.#log = log
    this.info = {
      session: numberedId(n),
      shard: 1,
      shards: 1,
      recorder: 'paris',
      source: { kind: 'service', origin: 'https://data.example.com', user: 'you' },
      startedMs: unixMs(T0),
      epoch: 1,
      end: null,
      ...about,
    }
    log.put({ ...this.info })
  }

  get lastSeq(): number {
    return this.flushes.reduce((sum, { batch }) => sum + batch.messages.count + batch.entries.length, 0)
  }

  /** Commits a flush and publishes it. */
  record(items: readonly Item[], isLost = false): void {
    this.publish(this.commit(items), isLost)
  }

  publish(flush: CommittedFlush, isLost = false): void {
    const { messages } = valueOf(
      encodeFlushes(
        {
          session: this.info.session,
          epoch: 1,
          heads: this.heads,
          maxPayload: this.maxPayload,
          ...(this.sign === null ? {} : { sign: this.sign }),
        },
        [flush],
      ),
    )
    this.heads = advanceHeads(this.info.session, this.heads, [flush])
    for (const { bytes } of messages) this.#log.publish(this.info, bytes, isLost)
  }

  commit(items: readonly Item[]): CommittedFlush {
    const { session } = this.info
    const batch = this.#writer.batch(items)
    const announced = new Map((batch.connections ?? []).map(({ conn, feed }) => [conn, newChain(session, conn, feed)]))
    const headOf = (conn: number): Uint8Array =>
      (this.heads.get(conn) ?? announced.get(conn) ?? newChain(session, conn, '')).head
    const flush = { batch, leaves: this.#hasher.leaves(batch.messages, batch.entries.map(entryRow), headOf) }
    this.flushes.push(flush)
    return flush
  }

  end(signature?: string): void {
    this.info.end = {
      endedMs: unixMs(T0 + 3_600_000),
      clean: true,
      lastSeq: this.lastSeq,
      messages: 0,
      entries: 0,
      heads: Object.fromEntries([...this.heads].map(([conn, { head }]) => [conn, Buffer.from(head).toString('hex')])),
      signature,
    }
    this.#log.put({ ...this.info })
  }
}

export class MemoryLog implements LogSink {
  readonly messages: StoredMessage[] = []
  readonly #infos = new Map<SessionId, SessionInfo>()
  readonly #watchers = new Set<(info: SessionInfo | CodedError) => void>()
  readonly #live = new Set<(message: LiveMessage) => void>()
  readonly #states = new Set<(state: ConnectionState) => void>()
  readonly #reports = new Set<(value: string) => void>()
  #isConnected = true
  /** Messages that the log no longer has: those before this index. */
  from = 0
  reads = 0
  /** Messages that reads have delivered. */
  delivered = 0

  put(info: SessionInfo): void {
    this.#infos.set(info.session, info)
    for (const watcher of this.#watchers) watcher(info)
  }

  /** A session is described, which those who watch don't hear. */
  putUnheard(info: SessionInfo): void {
    this.#infos.set(info.session, info)
  }

  /** Watches notice that something didn't arrive. */
  failWatches(): void {
    const failure = new CodedError('not-found', 'The bucket has changes that didn’t arrive.')
    for (const watcher of this.#watchers) watcher(failure)
  }

  publish({ shard, session }: SessionInfo, bytes: Uint8Array, isLost: boolean): void {
    const sequence = this.messages.length + 1
    const stored = { shard, session, sequence, bytes, storedMs: unixMs(T0 + sequence), pending: 0 }
    this.messages.push(stored)
    if (!isLost && this.#isConnected) for (const handler of this.#live) handler({ ...stored, previous: 0 })
  }

  setConnected(isConnected: boolean): void {
    this.#isConnected = isConnected
    const state: ConnectionState = isConnected ? { is: 'connected', server: 'n1' } : { is: 'disconnected', why: null }
    for (const listener of this.#states) listener(state)
  }

  state(): ConnectionState {
    return this.#isConnected ? { is: 'connected', server: 'n1' } : { is: 'disconnected', why: null }
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    this.#states.add(listener)
    return () => this.#states.delete(listener)
  }

  /** Only reports are watched. */
  bucket(): TeamBucket {
    const watch: TeamBucket['watch'] = ({ signal }) => this.#watchReports(signal)
    return { watch } as TeamBucket // nothing else is used
  }

  /** A recorder reports its sessions. */
  report(...sessions: SessionId[]): void {
    const report = { role: 'recorder', name: 'paris', shard: 1, ...NOTHING_HELD, sessions } as const
    for (const take of this.#reports) take(encodeReport(report))
  }

  async *#watchReports(signal: AbortSignal): AsyncGenerator<BucketEntry> {
    const queue: string[] = []
    let wake = (): void => undefined
    this.#reports.add((value) => {
      queue.push(value)
      wake()
    })
    signal.addEventListener('abort', () => wake())
    while (!signal.aborted) {
      const value = queue.shift()
      if (value !== undefined) yield { key: 'recorder.x', value, revision: 1 }
      else await new Promise<void>((resolve) => void (wake = resolve))
    }
  }

  subscribeLive(_shard: number | '*', handler: (message: LiveMessage) => void): () => void {
    this.#live.add(handler)
    return () => this.#live.delete(handler)
  }

  async lastOf(_shard: number, session: SessionId): Promise<StoredMessage | null> {
    this.#mustBeConnected()
    return this.#of(session).at(-1) ?? null
  }

  async *read(options: {
    session?: SessionId
    from: { sequence: number } | { sinceMs: number } | { at: string }
    signal: AbortSignal
  }): AsyncGenerator<StoredMessage> {
    const { session, from, signal } = options
    this.reads++
    const first = 'sequence' in from ? from.sequence : 'sinceMs' in from ? from.sinceMs - T0 : 0
    for (const message of this.#of(session!)) {
      if (message.sequence < first) continue
      await new Promise((resolve) => setImmediate(resolve))
      if (signal.aborted) return
      this.#mustBeConnected()
      this.delivered++
      yield message
    }
    throw new Error('read past the end of the log')
  }

  async *watchSessions(signal: AbortSignal): AsyncGenerator<SessionInfo> {
    const queue: (SessionInfo | CodedError)[] = [...this.#infos.values()]
    let wake = (): void => undefined
    const watcher = (info: SessionInfo | CodedError): void => {
      queue.push(info)
      wake()
    }
    this.#watchers.add(watcher)
    signal.addEventListener('abort', () => wake())
    try {
      while (!signal.aborted) {
        const next = queue.shift()
        if (next instanceof CodedError) throw next
        if (next !== undefined) yield next
        else await new Promise<void>((resolve) => void (wake = resolve))
      }
    } finally {
      this.#watchers.delete(watcher)
    }
  }

  #of(session: SessionId): StoredMessage[] {
    return this.messages.slice(this.from).filter((one) => one.session === session)
  }

  #mustBeConnected(): void {
    if (!this.#isConnected) throw new CodedError('offline', 'The log is away.')
  }
}

interface Copy {
  lastSeq: number
  heads: Map<number, { head: Uint8Array; messages: number }>
  batches: Batch[]
  end: ReplicaEnd | null
}

/** Replicas in memory that check what the store checks. */
export class MemoryReplicas implements StoreReplicas {
  readonly copies = new Map<SessionId, Copy>()
  readonly #hasher = new LeafHasher()
  /** The next appends fail with these. */
  failures: CodedError[] = []
  appends = 0

  async open({ id }: { id: SessionId }) {
    const copy = this.copies.get(id) ?? { lastSeq: 0, heads: new Map(), batches: [], end: null }
    this.copies.set(id, copy)
    return { lastSeq: copy.lastSeq, heads: new Map(copy.heads), isComplete: copy.end !== null }
  }

  async append(id: SessionId, batches: readonly Batch[], heads: Readonly<Record<string, string>>): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    const copy = this.copies.get(id)
    if (copy === undefined) throw new CodedError('not-found', 'The replica is not open.')
    this.appends++
    const failure = this.failures.shift()
    if (failure !== undefined) throw failure
    let { lastSeq } = copy
    const next = new Map(copy.heads)
    for (const batch of batches) {
      for (const { conn, feed } of batch.connections ?? [])
        if (!next.has(conn)) next.set(conn, newChain(id, conn, feed))
      for (const seq of [...batch.messages.seq, ...batch.entries.map(({ seq }) => seq)].sort((a, b) => a - b))
        if (seq !== ++lastSeq) throw new CodedError('store-damaged', `seq ${seq} instead of ${lastSeq}`)
      const headOf = (conn: number): Uint8Array => (next.get(conn) ?? newChain(id, conn, '')).head
      for (const { conn, count, head } of this.#hasher.leaves(batch.messages, batch.entries.map(entryRow), headOf))
        next.set(conn, { head, messages: (next.get(conn)?.messages ?? 0) + count })
    }
    for (const [conn, hex] of Object.entries(heads))
      if (Buffer.from(next.get(Number(conn))?.head ?? []).toString('hex') !== hex)
        throw new CodedError('store-damaged', `the head of connection ${conn} differs`)
    Object.assign(copy, { lastSeq, heads: next, batches: [...copy.batches, ...batches] })
  }

  async end(id: SessionId, end: ReplicaEnd): Promise<void> {
    const copy = this.copies.get(id)!
    const mine = Object.fromEntries(
      [...copy.heads].map(([conn, { head }]) => [conn, Buffer.from(head).toString('hex')]),
    )
    for (const [conn, head] of Object.entries(end.heads))
      if ((mine[conn] ?? head) !== head) throw new CodedError('store-damaged', 'the heads differ')
    copy.end = end
  }
}

export interface Terminal {
  readonly follower: TeamFollower
  readonly replicas: MemoryReplicas
  readonly clock: ManualClock
  /** Seqs in the order in which they were shown, by session. */
  readonly shown: Map<SessionId, number[]>
  readonly reports: string[]
  /** Sessions whose recorders are gone, as they were shown, one list after another. */
  readonly gone: string[][]
}

export function startTerminal(
  log: MemoryLog,
  options: {
    replicas?: MemoryReplicas
    copies?: Partial<LocalCopies>
    history?: TeamFollowerParts['history']
    market?: TeamFollowerParts['market']
    trusted?: TeamFollowerParts['trusted']
  } = {},
): Terminal {
  const { replicas = new MemoryReplicas(), history = null } = options
  const clock = manualClock(T0 + 1_000)
  const shown = new Map<SessionId, number[]>()
  const reports: string[] = []
  const gone: string[][] = []
  const follower = new TeamFollower({
    team: TEAM,
    log,
    history,
    replicas: async () => replicas,
    lastReceived: async () => null,
    trusted: options.trusted ?? null,
    clock,
    report: (level, text) => void reports.push(`${level}: ${text}`),
    market: options.market ?? {
      show({ session }, flushes) {
        const seqs = shown.get(session) ?? []
        for (const { batch } of flushes)
          seqs.push(...[...batch.messages.seq, ...batch.entries.map(({ seq }) => seq)].sort((a, b) => a - b))
        shown.set(session, seqs)
      },
      end() {},
      reachedPresent() {},
      setLost() {},
      setAway: (now) => void gone.push([...now.keys()]),
    },
    copies: async () => ({ ...NO_COPIES, ...options.copies }),
    changed() {},
  })
  return { follower, replicas, clock, shown, reports, gone }
}
