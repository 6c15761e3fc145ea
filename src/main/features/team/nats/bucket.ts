/** A bucket of the team on NATS. */
import type { KV } from '@nats-io/kv'
import { CodedError } from '../../../../shared/base/errors.ts'
import { API, apiCode, requestError } from './errors.ts'
import type { BucketEntry, TeamBucket } from './team-log.ts'

interface KvEntryLike {
  readonly key: string
  readonly revision: number
  readonly operation: 'PUT' | 'DEL' | 'PURGE'
  /** Changes behind it when the server sent it. */
  readonly delta?: number
  string(): string
}

const toEntry = (entry: KvEntryLike): BucketEntry => ({
  key: entry.key,
  value: entry.operation === 'PUT' ? entry.string() : null,
  revision: entry.revision,
})

/** `run` opens the bucket, and rejects with a `CodedError`. */
export function natsBucket(run: <T>(work: (kv: KV) => Promise<T>) => Promise<T>, name: string): TeamBucket {
  const what = `the bucket ${name}`
  return {
    get: (key) =>
      run(async (kv) => {
        const entry = await kv.get(key)
        return entry === null ? null : toEntry(entry)
      }),
    put: (key, value) => run((kv) => kv.put(key, value)),
    update: (key, value, revision) =>
      run(async (kv) => {
        try {
          return await kv.put(key, value, { previousSeq: revision })
        } catch (thrown) {
          if (isConflict(thrown)) return null
          throw thrown
        }
      }),
    delete: (key) => run((kv) => kv.delete(key)),
    madeMs: () => run(async (kv) => Date.parse((await readState(kv)).createdAt)),
    entries: () => run(readEntries),
    async *watch({ signal, key }) {
      if (signal.aborted) return
      const watch = await run((kv) => BucketWatch.start(kv, name, key))
      const stop = () => watch.stop()
      signal.addEventListener('abort', stop)
      try {
        if (signal.aborted) return
        for await (const entry of watch.entries()) {
          if (signal.aborted) return
          yield entry
        }
      } catch (thrown) {
        throw requestError(thrown, what)
      } finally {
        signal.removeEventListener('abort', stop)
        stop()
      }
    },
  }
}

/** How often a watch is compared with its bucket. */
const WATCH_CHECK_MS = 5_000

/**
 * Every current value of a bucket, then each change. The client notices a change that was lost with a connection only at the
 * next one, and goes on waiting for the next revision of a bucket that was deleted and made again. So the newest revision is
 * read every five seconds, and the watch fails if it doesn't arrive until the next time.
 */
class BucketWatch {
  readonly #kv: KV
  readonly #name: string
  readonly #key: string | undefined
  /** When it began. */
  readonly #start: Awaited<ReturnType<typeof readState>>
  readonly #changes: Awaited<ReturnType<KV['watch']>>
  #timer: NodeJS.Timeout | undefined
  /** Revision of the newest change. */
  #seen = 0
  /** The newest revision of the bucket when it was last compared. */
  #expected = 0
  /** Everything that arrived was taken. */
  #isWaiting = false
  #failure: CodedError | null = null

  private constructor(
    kv: KV,
    name: string,
    key: string | undefined,
    start: Awaited<ReturnType<typeof readState>>,
    changes: Awaited<ReturnType<KV['watch']>>,
  ) {
    this.#kv = kv
    this.#name = name
    this.#key = key
    this.#start = start
    this.#changes = changes
    this.#checkLater()
  }

  static async start(kv: KV, name: string, key: string | undefined): Promise<BucketWatch> {
    const start = await readState(kv)
    return new BucketWatch(kv, name, key, start, await kv.watch(key === undefined ? {} : { key }))
  }

  async *entries(): AsyncGenerator<BucketEntry> {
    this.#isWaiting = true
    for await (const entry of this.#changes) {
      this.#isWaiting = false
      // The server has sent all that it had when the watch began: earlier revisions that didn't arrive were removed.
      const all = (entry.delta ?? 0) === 0 ? this.#start.lastSequence : 0
      this.#seen = Math.max(this.#seen, entry.revision, all)
      yield toEntry(entry)
      this.#isWaiting = true
    }
    if (this.#failure !== null) throw this.#failure
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#changes.stop()
  }

  #checkLater(): void {
    this.#timer = setTimeout(() => void this.#check(), WATCH_CHECK_MS)
  }

  async #check(): Promise<void> {
    try {
      const { createdAt, lastSequence, messages } = await readState(this.#kv)
      if (createdAt !== this.#start.createdAt) return this.#fail('was made again')
      if (this.#isWaiting && this.#seen < this.#expected) return this.#fail('has changes that didn’t arrive')
      this.#expected = await this.#newest(messages === 0 ? 0 : lastSequence)
    } catch {
      // Callers hear of lost servers from the connection.
    }
    if (this.#timer !== undefined) this.#checkLater()
  }

  /** `last`: the newest revision of the bucket. That of several keys of it isn't known. */
  async #newest(last: number): Promise<number> {
    if (this.#key === undefined) return last
    return /[*>]/.test(this.#key) ? 0 : ((await this.#kv.get(this.#key))?.revision ?? 0)
  }

  #fail(why: string): void {
    this.#failure = new CodedError('not-found', `The bucket ${this.#name} ${why}.`)
    this.stop()
  }
}

/** The state of the stream behind a bucket. */
async function readState(kv: KV): Promise<{ createdAt: string; lastSequence: number; messages: number }> {
  const { created, state } = (await kv.status()).streamInfo
  return { createdAt: String(created), lastSequence: state.last_seq, messages: state.messages }
}

const CHECK_MS = 500

/**
 * The newest value of each key. The client's `history` waits forever for a value that is replaced or expires after it
 * counted them, so this reads until the sequence that was the last one at its start, or until the bucket is empty. A value
 * that is replaced meanwhile arrives behind that sequence, so it also reads what the server still has to send, or up to
 * the last sequence a moment later. It starts again if the bucket was made again meanwhile, because that counts from 1.
 */
async function readEntries(kv: KV): Promise<readonly BucketEntry[]> {
  for (;;) {
    const entries = await readOnce(kv)
    if (entries !== null) return entries
  }
}

/** Null: the bucket was made again meanwhile. */
async function readOnce(kv: KV): Promise<readonly BucketEntry[] | null> {
  const { createdAt, lastSequence, messages } = await readState(kv)
  const newest = new Map<string, BucketEntry>()
  if (messages === 0) return []
  const changes = await kv.watch()
  let failure: Error | null = null
  let seen = 0
  let isComplete = false
  let isOther = false
  const check = async (): Promise<void> => {
    try {
      const state = await readState(kv)
      isOther = state.createdAt !== createdAt
      isComplete ||= state.messages === 0 || seen >= state.lastSequence
    } catch (thrown) {
      failure = thrown instanceof Error ? thrown : new Error(String(thrown))
    }
    if (isComplete || isOther || failure !== null) changes.stop()
  }
  const timer = setInterval(() => void check(), CHECK_MS)
  try {
    for await (const entry of changes) {
      newest.set(entry.key, toEntry(entry))
      seen = Math.max(seen, entry.revision)
      isComplete ||= seen >= lastSequence && (entry.delta ?? 0) === 0
      if (isComplete) break
    }
  } finally {
    clearInterval(timer)
    changes.stop()
  }
  if (isOther) return null
  if (!isComplete) throw failure ?? new Error('the connection was closed')
  return [...newest.values()]
}

export function isConflict(thrown: unknown): boolean {
  const code = apiCode(thrown)
  return code !== null && (API.wrongSequence as readonly number[]).includes(code)
}
