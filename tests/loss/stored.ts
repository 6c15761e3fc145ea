/** What a store holds, as the loss tests compare it. */
import { createHash, type Hash } from 'node:crypto'
import { openStoreReader } from '../../src/main/core/store/open.ts'
import type { Gap, VerifyReport } from '../../src/shared/core/recording/session.ts'
import type { FeedId, SessionId } from '../../src/shared/base/units.ts'

export interface StoredFeed {
  readonly frames: number
  /** SHA-256 over each frame's bytes followed by LF. */
  readonly sha256: string
  readonly lastSeq: number
  /** Seqs are strictly growing. */
  readonly ordered: boolean
}

/** Every frame of a recording's feed, control frames included, in the order of receipt. */
export async function storedFeed(
  file: string,
  feed: FeedId,
  session: SessionId,
  each: (raw: Uint8Array) => void = () => undefined,
): Promise<StoredFeed> {
  const reader = await openStoreReader({ file })
  const hash: Hash = createHash('sha256')
  let frames = 0
  let lastSeq = 0
  let ordered = true
  for await (const run of reader.ticks({ feed, instruments: null, session })) {
    for (let i = 0; i < run.count; i++) {
      const raw = run.raw(i)
      hash.update(raw).update('\n')
      each(raw)
      frames++
      ordered &&= run.seq[i] > lastSeq
      lastSeq = run.seq[i]
    }
  }
  await reader.close()
  return { frames, sha256: hash.digest('hex'), lastSeq, ordered }
}

/** How many feeds a session says it connected to. */
export async function connectedFeeds(file: string, session: SessionId): Promise<number> {
  const reader = await openStoreReader({ file })
  const feeds = new Set<FeedId>()
  for await (const { entries } of reader.replay({ session, afterSeq: 0 }))
    for (const { entry } of entries) if (entry.type === 'connecting') feeds.add(entry.feed)
  await reader.close()
  return feeds.size
}

export async function verified(file: string, session: SessionId | null): Promise<VerifyReport> {
  const reader = await openStoreReader({ file })
  const report = await reader.verify(session)
  await reader.close()
  return report
}

export async function gapsOf(file: string, session?: SessionId): Promise<readonly Gap[]> {
  const reader = await openStoreReader({ file })
  const gaps = await reader.gaps(session === undefined ? {} : { session })
  await reader.close()
  return gaps
}

/** Throws with a sentence when something does not hold. */
export function must(holds: boolean, sentence: string): void {
  if (!holds) throw new Error(sentence)
}

/** Waits until something holds; rejects with the sentence when it does not in time. Answers how long it took, ms. */
export async function until(holds: () => boolean, withinMs: number, sentence: string): Promise<number> {
  const from = performance.now()
  while (!holds()) {
    if (performance.now() - from > withinMs) throw new Error(`${sentence} (waited ${withinMs} ms)`)
    await new Promise((next) => setTimeout(next, 5))
  }
  return performance.now() - from
}
