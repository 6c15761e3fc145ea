/**
 * Plays what another clock has played: a window's replay leads, and clients get exactly the messages that it has
 * applied, in order and when it applies them.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { scratch } from '../../../../service/codec.ts'
import { Cursor } from '../../../core/playback/cursor.ts'
import { isRowCounted, type Part } from '../../../core/playback/parts.ts'
import type { StoreReader } from '../../../core/store/types/reader.ts'
import type { Place } from '../play/player-port.ts'
import type { Outlet, PlayoutState, SharedClock } from './playout.ts'
import type { ClockChange } from './query.ts'

/** The clock that leads. */
export interface Leader {
  /** Everything up to here was played. */
  readonly place: Place
  readonly state: PlayoutState
  control(change: ClockChange): void
  /** Informs a follower of each change. Returns a function that ends this. */
  follow(follower: Follower): () => void
}

export interface Follower {
  /** Something of the leader changed. */
  moved(): void
  /** The leader jumped: everything up to `from` was played, and nothing between it and `to`. */
  jumped(from: Place, to: Place): void
}

export interface LedPlayoutOptions {
  readonly reader: Pick<StoreReader, 'replay'>
  /** The leader's parts. The last one may grow. */
  readonly parts: () => readonly Part[]
  readonly leader: Leader
  readonly outlet: Outlet
}

/** Messages taken before the event loop gets its turn. */
const TURN_MESSAGES = 4_096

export class LedPlayout implements SharedClock {
  readonly done: Promise<void>
  readonly #of: LedPlayoutOptions
  readonly #record = scratch()
  readonly #unfollow: () => void
  /** Jumps of the leader still to be made, oldest first. Messages played before a jump are sent before it. */
  readonly #jumps: { readonly from: Place; readonly to: Place }[] = []
  #part = 0
  #cursor: Cursor
  #wake: () => void = () => undefined
  #isClosed = false

  constructor(options: LedPlayoutOptions) {
    this.#of = options
    const { leader } = options
    this.#cursor = this.#open(leader.place)
    this.#unfollow = leader.follow({
      moved: () => this.#wake(),
      jumped: (from, to) => this.#jumps.push({ from, to }),
    })
    this.done = this.#run()
    this.done.catch(() => undefined) // reported to the caller that awaits it
  }

  get state(): PlayoutState {
    return this.#of.leader.state
  }

  control(change: ClockChange): void {
    this.#of.leader.control(change)
  }

  close(): void {
    this.#isClosed = true
    this.#unfollow()
    this.#wake()
  }

  async #run(): Promise<void> {
    const { leader, outlet } = this.#of
    try {
      while (!this.#isClosed) {
        const why = this.#advance(this.#jumps.at(0)?.from ?? leader.place)
        outlet.flush()
        if (this.#cursor.failure !== null) throw this.#cursor.failure
        const jump = why === 'reached' ? this.#jumps.shift() : undefined
        if (jump !== undefined) {
          this.#cursor.close()
          this.#cursor = this.#open(jump.to)
        }
        if (outlet.isFull) await outlet.whenFree()
        else if (jump !== undefined) await turn()
        else if (why === 'pending') await this.#cursor.waitForNext()
        else if (why === 'turn') await turn()
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.#cursor.close()
    }
  }

  #open({ session, seq }: Place): Cursor {
    const parts = this.#of.parts()
    this.#part = parts.findIndex((part) => part.session === session)
    return this.#cursorAt(seq)
  }

  #cursorAt(afterSeq: number): Cursor {
    const { session, lastSeq } = this.#of.parts()[this.#part]
    const cursor = new Cursor(this.#of.reader, session, afterSeq, lastSeq)
    cursor.begin()
    return cursor
  }

  /** Gives the outlet what the leader has played. Returns why it stopped. */
  #advance(place: Place): 'reached' | 'pending' | 'turn' {
    const parts = this.#of.parts()
    const { session, counts, lastSeq } = parts[this.#part]
    const upToSeq = place.session === session ? place.seq : Infinity
    const cursor = this.#cursor
    for (let budget = TURN_MESSAGES; budget > 0; budget--) {
      switch (cursor.next()) {
        case 'pending':
          return 'pending'
        case 'end':
          if (cursor.failure !== null) return 'reached'
          if (upToSeq === Infinity) {
            this.#part += 1
            this.#cursor = this.#cursorAt(0)
          } else if (cursor.upToSeq < lastSeq) this.#cursor = this.#cursorAt(cursor.upToSeq)
          else return 'reached'
          cursor.close()
          return 'pending'
        case 'entry':
          if (cursor.nextEntry().seq > upToSeq) return 'reached'
          cursor.entry += 1
          break
        case 'message': {
          const batch = cursor.batch!
          const { row } = cursor
          if (batch.seq[row] > upToSeq) return 'reached'
          cursor.row = row + 1
          if (counts === null || isRowCounted(counts, batch, row, this.#record))
            this.#of.outlet.take(batch, row, row + 1)
        }
      }
    }
    return 'turn'
  }
}
