/** Finds places in recordings, and what the state there can be built from. */
import type { StoredEntry, StoreReader } from '../store/port.ts'
import type { KeptSnapshots } from './kept.ts'
import { partAt, type Part } from './parts.ts'
import type { Kept, Rig } from './rig.ts'

/** A snapshot so few entries before a place is near enough. */
export const NEAR = 2_000

/** A place to go to; `ms` null: the replay time of what is there. `over`: after the recording's end. */
export interface Target {
  readonly part: number
  readonly seq: number
  readonly ms: number | null
  readonly over: boolean
}

export class Places {
  readonly #reader: Pick<StoreReader, 'replay' | 'place' | 'snapshot' | 'entries'>
  readonly #parts: readonly Part[]
  readonly #kept: KeptSnapshots
  readonly #version: number
  readonly #entries = new Map<number, Promise<readonly StoredEntry[]>>()

  constructor(
    reader: Pick<StoreReader, 'replay' | 'place' | 'snapshot' | 'entries'>,
    parts: readonly Part[],
    kept: KeptSnapshots,
    version: number,
  ) {
    this.#reader = reader
    this.#parts = parts
    this.#kept = kept
    this.#version = version
  }

  /** The place of a replay time inside of the range. */
  async resolve(ms: number): Promise<Target> {
    const index = partAt(this.#parts, ms)
    const part = this.#parts[index]
    if (ms > part.toMs && index + 1 < this.#parts.length) return { part: index, seq: part.lastSeq, ms, over: true }
    const place = await this.#reader.place({ recording: part.recording, ms })
    return { part: index, seq: Math.min(place?.seq ?? 0, part.lastSeq), ms, over: false }
  }

  /** The nearest state at or before a seq; undefined: nothing is known. `here`: where the replay stands in this part. */
  async nearest(index: number, seq: number, here: Rig | null): Promise<Kept | undefined> {
    const kept = this.#kept.before(index, seq)
    const mine = here !== null && here.seq <= seq && here.seq > (kept?.seq ?? -1) ? here.keep() : kept
    // The reader need not look where what is at hand is near.
    if (mine !== undefined && seq - mine.seq <= NEAR) return mine
    const stored = await this.stored(this.#parts[index], seq)
    return stored !== undefined && stored.seq > (mine?.seq ?? -1) ? stored : mine
  }

  /** The newest snapshot that was stored at or before a seq; at 0: of what was known when the recording began. */
  async stored({ recording }: Part, upToSeq: number): Promise<Kept | undefined> {
    const found = await this.#reader.snapshot({ recording, upToSeq, version: this.#version })
    if (found === null) return undefined
    const { seq, data } = found
    return { seq, timeMs: seq === 0 ? -Infinity : found.wallMs, lastMessageSeq: 0, data }
  }

  /** The entries of a part that say how its feeds stand. */
  entries(index: number): Promise<readonly StoredEntry[]> {
    const known = this.#entries.get(index)
    if (known !== undefined) return known
    const { recording } = this.#parts[index]
    const asked = this.#reader.entries({ recording, types: ENTRY_TYPES })
    this.#entries.set(index, asked)
    asked.catch(() => this.#entries.delete(index))
    return asked
  }

  /** Seq of the last message at or before a seq; 0: there is none. */
  async messageBefore({ recording }: Part, seq: number): Promise<number> {
    for (let back = 1_000, upToSeq = seq; upToSeq > 0; back *= 4) {
      const afterSeq = Math.max(0, upToSeq - back)
      let last = 0
      for await (const batch of this.#reader.replay({ recording, afterSeq, upToSeq })) {
        if (batch.count > 0) last = batch.seq[batch.count - 1]
      }
      if (last > 0) return last
      upToSeq = afterSeq
    }
    return 0
  }
}

const ENTRY_TYPES = [
  'connecting',
  'connected',
  'disconnected',
  'subscribe',
  'unsubscribe',
  'acknowledged',
  'released',
  'state',
  'gap-open',
  'gap-close',
] as const
