/** Finds positions in sessions, and checkpoints to build the state there from. */
import type { SnapshotQuery } from '../../core/store/types/replay.ts'
import type { StoredEntry } from '../../core/store/types/messages.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { SavedStates } from './saved-states.ts'
import { partAt, type Part } from '../../core/playback/parts.ts'
import type { Checkpoint, PlaybackState } from '../../core/playback/playback-state.ts'

/** A checkpoint at most this many seqs before the target is close enough. */
const NEAR = 2_000

/** A position to seek to: everything up to `seq` that was received at or before `upToMs`. */
export interface Target {
  readonly part: number
  readonly seq: number
  readonly upToMs: number
  /** Clock time to show there, UTC ms. Null: the replay time of the last item applied. */
  readonly ms: number | null
  /** The target is after the session's end. */
  readonly over: boolean
}

export const ANY_TIME = Infinity

export class SeekTargets {
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

  /** The position before anything is applied. */
  start(): Target {
    return { part: 0, seq: 0, upToMs: ANY_TIME, ms: this.#parts()[0].fromMs, over: false }
  }

  /** The target for a replay time within the range, UTC ms. */
  resolve(ms: number): Target {
    const parts = this.#parts()
    const index = partAt(parts, ms)
    const { lastSeq, toMs } = parts[index]
    const over = ms > toMs && index + 1 < parts.length
    return { part: index, seq: lastSeq, upToMs: ms >= toMs ? ANY_TIME : ms, ms, over }
  }

  /** The nearest checkpoint at or before a target, if any. `here`: the replay's current state if it is in this part. */
  async nearest({ part, seq, upToMs }: Target, here: PlaybackState | null): Promise<Checkpoint | undefined> {
    const saved = this.#kept.before(part, seq, upToMs)
    const ahead = here !== null && here.seq <= seq && here.timeMs <= upToMs && here.seq > (saved?.seq ?? -1)
    const mine = ahead ? here.checkpoint() : saved
    // A checkpoint in memory that is close enough saves a read.
    if (mine !== undefined && seq - mine.seq <= NEAR) return mine
    return (await this.stored(this.#parts()[part], { upToSeq: seq, upToMs, afterSeq: mine?.seq ?? -1 })) ?? mine
  }

  /** The newest stored snapshot at or before a position. At seq 0 it has what was known when the session began. */
  async stored({ session }: Part, place: Omit<SnapshotQuery, 'session' | 'version'>): Promise<Checkpoint | undefined> {
    const found = await this.#reader.snapshot({ ...place, session, version: this.#version })
    if (found === null) return undefined
    const { seq, data } = found
    return { seq, timeMs: seq === 0 ? -Infinity : found.wallMs, lastMessageSeq: 0, data }
  }

  /** Drops the cached entries of a part, because more were recorded. */
  forgetEntries(index: number): void {
    this.#entries.delete(index)
  }

  /** The entries of a part that determine its feed states and gaps. Cached. */
  entries(index: number): Promise<readonly StoredEntry[]> {
    const known = this.#entries.get(index)
    if (known !== undefined) return known
    const { session } = this.#parts()[index]
    const asked = this.#reader.entries({ session, types: ENTRY_TYPES })
    this.#entries.set(index, asked)
    asked.catch(() => this.#entries.delete(index))
    return asked
  }

  /**
   * Returns the position right before the last message applied at `seq` of a part. `lastMessageSeq` 0 means it is not
   * known, so it is looked up. Null if there is no earlier message.
   */
  async messageBack(index: number, seq: number, lastMessageSeq: number): Promise<Target | null> {
    const parts = this.#parts()
    const last = lastMessageSeq > 0 ? lastMessageSeq : await this.#messageBefore(parts[index], seq)
    if (last > 0) return { part: index, seq: last - 1, upToMs: ANY_TIME, ms: null, over: false }
    if (index === 0) return null
    return { part: index - 1, seq: parts[index - 1].lastSeq, upToMs: ANY_TIME, ms: null, over: false }
  }

  /** Seq of the last message at or before a seq. 0 if there is none. */
  async #messageBefore({ session }: Part, seq: number): Promise<number> {
    for (let back = 1_000, upToSeq = seq; upToSeq > 0; back *= 4) {
      const afterSeq = Math.max(0, upToSeq - back)
      let last = 0
      for await (const batch of this.#reader.replay({ session, afterSeq, upToSeq, omitConnections: true })) {
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
  'clock',
] as const
