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
    entries: () =>
      run(async (kv) => {
        const newest = new Map<string, BucketEntry>()
        for await (const entry of await kv.history()) newest.set(entry.key, toEntry(entry))
        return [...newest.values()]
      }),
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

export function isConflict(thrown: unknown): boolean {
  const code = apiCode(thrown)
  return code !== null && (API.wrongSequence as readonly number[]).includes(code)
}
