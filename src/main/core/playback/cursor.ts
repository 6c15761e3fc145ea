/** A position in a session, and the batches after it. At most a few batches are read ahead. */
import type { SessionId } from '../../../shared/base/units.ts'
import type { ReplayBatch } from '../store/types/replay.ts'
import type { StoredEntry } from '../store/types/messages.ts'
import type { StoreReader } from '../store/types/reader.ts'

/** Batches read ahead; the reader has another one on its way. */
const AHEAD = 2

/** Buffers of used batches kept for later ones: as many as are read in the meantime. */
const MAX_SPARES = 2

export interface CursorOptions {
  /** Reading may stop at the first message received later, UTC ms. */
  readonly upToMs?: number | undefined
  /** Whether batches are written over once the cursor is past them, so that reading needs little memory. */
  readonly reusesBatches?: boolean
  /** Whether batches may hold records instead of texts. */
  readonly prefersRecords?: boolean
  /** Whether batches may hold lines (`message-line.ts`) instead of texts. */
  readonly prefersLines?: boolean
}

/** What a market is advanced with: batches one after another, with the next row and entry. */
export interface BatchCursor {
  readonly batch: ReplayBatch | null
  row: number
  entry: number
  /** What comes next: a message, an entry, nothing (`end`), or something that isn't there yet (`pending`). */
  next(): 'message' | 'entry' | 'end' | 'pending'
  /** The next entry. Call only after `next` returned `entry`. */
  nextEntry(): StoredEntry
  close(): void
}

export class Cursor implements BatchCursor {
  /** The current batch. Its rows from `row` and its entries from `entry` on come next. */
  batch: ReplayBatch | null = null
  row = 0
  entry = 0
  /** Everything was read. */
  ended = false
  /** Why reading failed; null if it didn't. */
  failure: Error | null = null
  /** The last seq that it reads. */
  readonly upToSeq: number
  readonly #iterator: AsyncIterator<ReplayBatch>
  readonly #ready: ReplayBatch[] = []
  readonly #reusesBatches: boolean
  readonly #spares: ArrayBuffer[] = []
  #exhausted = false
  #closed = false
  #pull: Promise<void> | null = null

  /** Reading starts with `begin` or `next`. */
  constructor(
    reader: Pick<StoreReader, 'replay'>,
    session: SessionId,
    afterSeq: number,
    upToSeq: number,
    { upToMs = Infinity, reusesBatches = false, prefersRecords = false, prefersLines = false }: CursorOptions = {},
  ) {
    this.upToSeq = upToSeq
    this.#reusesBatches = reusesBatches
    this.#iterator = reader
      .replay({ session, afterSeq, upToSeq, upToMs, omitConnections: true, prefersRecords, prefersLines }, this.#spares)
      [Symbol.asyncIterator]()
  }

  /** Starts reading. */
  begin(): void {
    this.#fetch()
  }

  next(): 'message' | 'entry' | 'end' | 'pending' {
    for (;;) {
      const { batch } = this
      if (batch !== null) {
        const message = this.row < batch.count ? batch.seq[this.row] : Infinity
        const entry = this.entry < batch.entries.length ? batch.entries[this.entry].seq : Infinity
        if (message < entry) return 'message'
        if (entry < Infinity) return 'entry'
        this.batch = null
        this.#reuse(batch)
      }
      const following = this.#ready.shift()
      if (following === undefined) {
        if (this.#exhausted) this.ended = true
        else this.#fetch()
        return this.ended ? 'end' : 'pending'
      }
      this.batch = following
      this.row = 0
      this.entry = 0
      this.#fetch()
    }
  }

  nextEntry(): StoredEntry {
    return this.batch!.entries[this.entry]
  }

  /** Resolves when `next` no longer returns `pending`. */
  async waitForNext(): Promise<void> {
    while (this.next() === 'pending' && !this.#closed) await this.#pull
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.batch = null
    this.#ready.length = 0
    this.#exhausted = true
    void this.#iterator.return?.()?.then(undefined, () => undefined)
  }

  #reuse({ buffer }: ReplayBatch): void {
    if (this.#reusesBatches && buffer !== undefined && this.#spares.length < MAX_SPARES) this.#spares.push(buffer)
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
