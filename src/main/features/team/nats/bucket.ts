/** A bucket of the team on NATS. */
import type { KV } from '@nats-io/kv'
import { API, apiCode, requestError } from './errors.ts'
import type { BucketEntry, TeamBucket } from './team-log.ts'

interface KvEntryLike {
  readonly key: string
  readonly revision: number
  readonly operation: 'PUT' | 'DEL' | 'PURGE'
  string(): string
}

const toEntry = (entry: KvEntryLike): BucketEntry => ({
  key: entry.key,
  value: entry.operation === 'PUT' ? entry.string() : null,
  revision: entry.revision,
})

/** `open` opens the bucket; it is called again after it failed. */
export function natsBucket(open: () => Promise<KV>, name: string): TeamBucket {
  const what = `the bucket ${name}`
  const run = async <T>(work: (kv: KV) => Promise<T>): Promise<T> => {
    try {
      return await work(await open())
    } catch (thrown) {
      throw requestError(thrown, what)
    }
  }
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
    entries: () => run(readEntries),
    async *watch({ signal, key }) {
      if (signal.aborted) return
      const changes = await run((kv) => kv.watch(key === undefined ? {} : { key }))
      const stop = () => changes.stop()
      signal.addEventListener('abort', stop)
      try {
        for await (const entry of changes) {
          if (signal.aborted) return
          yield toEntry(entry)
        }
      } catch (thrown) {
        throw requestError(thrown, what)
      } finally {
        signal.removeEventListener('abort', stop)
        changes.stop()
      }
    },
  }
}

const CHECK_MS = 500

/**
 * The newest value of each key. The client's `history` waits forever for a value that is replaced or expires after it
 * counted them, so this reads until the sequence that was the last one at its start, or until the bucket is empty.
 */
async function readEntries(kv: KV): Promise<readonly BucketEntry[]> {
  const readState = async () => (await kv.status()).streamInfo.state
  const { last_seq: lastSequence, messages } = await readState()
  const newest = new Map<string, BucketEntry>()
  if (messages === 0) return []
  const changes = await kv.watch()
  let failure: Error | null = null
  let isComplete = false
  const check = async (): Promise<void> => {
    try {
      isComplete ||= (await readState()).messages === 0
    } catch (thrown) {
      failure = thrown instanceof Error ? thrown : new Error(String(thrown))
    }
    if (isComplete || failure !== null) changes.stop()
  }
  const timer = setInterval(() => void check(), CHECK_MS)
  try {
    for await (const entry of changes) {
      newest.set(entry.key, toEntry(entry))
      isComplete ||= entry.revision >= lastSequence
      if (isComplete) break
    }
  } finally {
    clearInterval(timer)
    changes.stop()
  }
  if (!isComplete) throw failure ?? new Error('the connection was closed')
  return [...newest.values()]
}

export function isConflict(thrown: unknown): boolean {
  const code = apiCode(thrown)
  return code !== null && (API.wrongSequence as readonly number[]).includes(code)
}
