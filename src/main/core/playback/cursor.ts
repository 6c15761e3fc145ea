/** A place in one recording, and the batches that follow it: read ahead, never more than a few. */
import type { RecordingId } from '../../../shared/base/units.ts'
import type { ReplayBatch } from '../store/types/replay.ts'
import type { StoredEntry } from '../store/types/messages.ts'
import type { StoreReader } from '../store/types/reader.ts'

/** Batches read and not yet used; the reader keeps another one on its way. */
const AHEAD = 2

export class Cursor {
  /** The batch at hand; its rows from `row` and entries from `entry` on are not used yet. */
  batch: ReplayBatch | null = null
  row = 0
  entry = 0
  /** Everything was used. */
  ended = false
  /** Why reading ended early; null: it did not. */
  failure: Error | null = null
  /** It reads no further. */
  readonly upToSeq: number
  readonly #iterator: AsyncIterator<ReplayBatch>
  readonly #ready: ReplayBatch[] = []
  #exhausted = false
  #closed = false
  #pull: Promise<void> | null = null

  /** Nothing is read before it is asked for. `upToMs`: nothing that was received later is wanted. */
  constructor(
    reader: Pick<StoreReader, 'replay'>,
    recording: RecordingId,
    afterSeq: number,
    upToSeq: number,
    upToMs = Infinity,
  ) {
    this.upToSeq = upToSeq
    this.#iterator = reader
      .replay({ recording, afterSeq, upToSeq, upToMs, omitConnections: true })
      [Symbol.asyncIterator]()
  }

  /** Reads ahead. */
  begin(): void {
    this.#fetch()
  }

  /** Whether the next item is at hand: a message, an entry, none any more (`end`), or not yet read (`dry`). */
  next(): 'message' | 'entry' | 'end' | 'dry' {
    for (;;) {
      const { batch } = this
      if (batch !== null) {
        const message = this.row < batch.count ? batch.seq[this.row] : Infinity
        const entry = this.entry < batch.entries.length ? batch.entries[this.entry].seq : Infinity
        if (message < entry) return 'message'
        if (entry < Infinity) return 'entry'
        this.batch = null
      }
      const following = this.#ready.shift()
      if (following === undefined) {
        if (this.#exhausted) this.ended = true
        else this.#fetch()
        return this.ended ? 'end' : 'dry'
      }
      this.batch = following
      this.row = 0
      this.entry = 0
      this.#fetch()
    }
  }

  /** The entry at hand, after `next` told of one. */
  entryAtHand(): StoredEntry {
    return this.batch!.entries[this.entry]
  }

  /** Resolves when `next` will not be `dry`. */
  async more(): Promise<void> {
    while (this.next() === 'dry' && !this.#closed) await this.#pull
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.batch = null
    this.#ready.length = 0
    this.#exhausted = true
    void this.#iterator.return?.()?.then(undefined, () => undefined)
  }

  #fetch(): void {
    if (this.#pull !== null || this.#exhausted || this.#ready.length >= AHEAD) return
    this.#pull = this.#iterator
      .next()
      .then(
        (result) => {
          if (result.done === true) this.#exhausted = true
          else if (!this.#closed) this.#ready.push(result.value)
        },
        (thrown: unknown) => {
          this.failure = thrown instanceof Error ? thrown : new Error(String(thrown))
          this.#exhausted = true
        },
      )
      .then(() => {
        this.#pull = null
        this.#fetch()
      })
  }
}
