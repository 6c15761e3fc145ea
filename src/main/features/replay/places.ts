/** Finds places in recordings, and what the state there can be built from. */
import type { SnapshotQuery } from '../../core/store/types/replay.ts'
import type { StoredEntry } from '../../core/store/types/messages.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { SavedStates } from './kept.ts'
import { partAt, type Part } from '../../core/playback/parts.ts'
import type { Checkpoint, PlaybackState } from '../../core/playback/playback-state.ts'

/** A snapshot so few entries before a place is near enough. */
const NEAR = 2_000

/** A place to go to: everything up to `seq` that was received at or before `upToMs`. */
export interface Target {
  readonly part: number
  readonly seq: number
  readonly upToMs: number
  /** What the clock shows there; null: the replay time of what is there. */
  readonly ms: number | null
  /** After the recording's end. */
  readonly over: boolean
}

export const ANY_TIME = Infinity

export class Places {
  readonly #reader: Pick<StoreReader, 'replay' | 'snapshot' | 'entries'>
  readonly #parts: () => readonly Part[]
  readonly #kept: SavedStates
  readonly #version: number
  readonly #entries = new Map<number, Promise<readonly StoredEntry[]>>()

  constructor(
    reader: Pick<StoreReader, 'replay' | 'snapshot' | 'entries'>,
    parts: () => readonly Part[],
    saved: SavedStates,
    version: number,
  ) {
    this.#reader = reader
    this.#parts = parts
    this.#kept = saved
    this.#version = version
  }

  /** Where nothing is applied yet. */
  start(): Target {
    return { part: 0, seq: 0, upToMs: ANY_TIME, ms: this.#parts()[0].fromMs, over: false }
  }

  /** The place of a replay time inside of the range. */
  resolve(ms: number): Target {
    const parts = this.#parts()
    const index = partAt(parts, ms)
    const { lastSeq, toMs } = parts[index]
    const over = ms > toMs && index + 1 < parts.length
    return { part: index, seq: lastSeq, upToMs: ms >= toMs ? ANY_TIME : ms, ms, over }
  }

  /** The nearest state at or before a place; undefined: nothing is known. `here`: where the replay stands in this part. */
  async nearest({ part, seq, upToMs }: Target, here: PlaybackState | null): Promise<Checkpoint | undefined> {
    const saved = this.#kept.before(part, seq, upToMs)
    const ahead = here !== null && here.seq <= seq && here.timeMs <= upToMs && here.seq > (saved?.seq ?? -1)
    const mine = ahead ? here.checkpoint() : saved
    // The reader need not look where what is at hand is near.
    if (mine !== undefined && seq - mine.seq <= NEAR) return mine
    return (await this.stored(this.#parts()[part], { upToSeq: seq, upToMs, afterSeq: mine?.seq ?? -1 })) ?? mine
  }

  /** The newest snapshot that was stored at or before a place; at 0: of what was known when the recording began. */
  async stored(
    { recording }: Part,
    place: Omit<SnapshotQuery, 'recording' | 'version'>,
  ): Promise<Checkpoint | undefined> {
    const found = await this.#reader.snapshot({ ...place, recording, version: this.#version })
    if (found === null) return undefined
    const { seq, data } = found
    return { seq, timeMs: seq === 0 ? -Infinity : found.wallMs, lastMessageSeq: 0, data }
  }

  /** More was recorded since: what was read of its entries is not all. */
  forgetEntries(index: number): void {
    this.#entries.delete(index)
  }

  /** The entries of a part that say how its feeds stand. */
  entries(index: number): Promise<readonly StoredEntry[]> {
    const known = this.#entries.get(index)
    if (known !== undefined) return known
    const { recording } = this.#parts()[index]
    const asked = this.#reader.entries({ recording, types: ENTRY_TYPES })
    this.#entries.set(index, asked)
    asked.catch(() => this.#entries.delete(index))
    return asked
  }

  /**
   * Right before the last message that is applied, at a seq of a part; `lastMessageSeq` 0: which one is not known. Null:
   * nothing is before it.
   */
  async messageBack(index: number, seq: number, lastMessageSeq: number): Promise<Target | null> {
    const parts = this.#parts()
    const last = lastMessageSeq > 0 ? lastMessageSeq : await this.#messageBefore(parts[index], seq)
    if (last > 0) return { part: index, seq: last - 1, upToMs: ANY_TIME, ms: null, over: false }
    if (index === 0) return null
    return { part: index - 1, seq: parts[index - 1].lastSeq, upToMs: ANY_TIME, ms: null, over: false }
  }

  /** Seq of the last message at or before a seq; 0: there is none. */
  async #messageBefore({ recording }: Part, seq: number): Promise<number> {
    for (let back = 1_000, upToSeq = seq; upToSeq > 0; back *= 4) {
      const afterSeq = Math.max(0, upToSeq - back)
      let last = 0
      for await (const batch of this.#reader.replay({ recording, afterSeq, upToSeq, omitConnections: true })) {
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
