/**
 * Plays the stored messages of sessions to an outlet, on a clock of its own: byte for byte, in their order, at the
 * times they were received. The clock is the state machine of `play.ts`; this is its edge, which reads and waits.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { ReplaySpeed } from '../../../../shared/features/replay/replay.ts'
import type { Gap } from '../../../../shared/core/recording/session.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { scratch } from '../../../../service/codec.ts'
import type { Clock } from '../../../base/clock.ts'
import { Cursor } from '../../../core/playback/cursor.ts'
import { previous } from '../../../core/playback/load-merge.ts'
import { isRowCounted, partAt, type Part } from '../../../core/playback/parts.ts'
import type { StoredEntry } from '../../../core/store/types/messages.ts'
import type { ReplayBatch } from '../../../core/store/types/replay.ts'
import type { StoreReader } from '../../../core/store/types/reader.ts'
import { due, newPlay, play, restMs, type Play, type PlayEvent } from '../play/play.ts'
import type { Span } from '../../../../shared/base/spans.ts'
import type { ClockChange } from './query.ts'

/** The instant that a clock jumped to. */
export interface JumpTarget {
  /** Gaps that had opened before it and not closed yet. */
  readonly gaps: readonly Gap[]
  /** Whether it is after the end of a session and before the next one. */
  readonly isBetween: boolean
}

/** Where messages go. */
export interface Outlet {
  /** Takes the messages in rows [from, to) of a batch. It may not keep the batch, whose memory is used again. */
  take(batch: ReplayBatch, from: number, to: number): void
  /** Whether it takes batches of lines, too. */
  readonly takesLines?: boolean
  /** Takes an entry, in its order among the messages. */
  entry?(entry: StoredEntry): void
  /** Sends what was taken since the last call. */
  flush(): void
  /** No more can be taken now. */
  readonly isFull: boolean
  /** Resolves when more can be taken or everything was closed. */
  whenFree(): Promise<void>
  /** A session ended, and the next one began later. Messages between them were never received. */
  between?(): void
  /** The clock jumped: after a seek, and when a loop starts again. `to`: null without `gapsOf`. */
  jumped?(to: JumpTarget | null): void
  /** Everything was played. Not called with a loop. */
  ended(): void
}

export interface PlayoutOptions {
  readonly reader: Pick<StoreReader, 'replay' | 'findPosition'>
  /** In playing order, with times that never decrease (`joinParts`). At least one. */
  readonly parts: readonly Part[]
  /** Receive times to play, [from, to), UTC ms. */
  readonly range: Span
  readonly speed: ReplaySpeed
  readonly loop: boolean
  readonly clock: Pick<Clock, 'monoNs' | 'after'>
  readonly outlet: Outlet
  /** The gaps of a session, for an outlet that must know which of them a jump ends in. */
  readonly gapsOf?: ((session: SessionId) => Promise<readonly Gap[]>) | undefined
}

/** Messages taken before the event loop gets its turn. */
const TURN_MESSAGES = 4_096
/** Longest wait for the next message, so that a change of the clock is never missed for long, ms. */
const REST_MS = 1_000
/** A message is sent up to this much early, because timers count whole milliseconds, ms. */
const EARLY_MS = 0.5

/** What a client may know of a clock. Times are UTC ms of the session. */
export interface PlayoutState {
  readonly playing: boolean
  readonly speed: ReplaySpeed
  readonly atMs: number
  readonly ended: boolean
}

/** A clock as its endpoint reports it. Times are UTC ms of the session. */
export interface ClockReport extends PlayoutState {
  readonly fromMs: number
  readonly toMs: number
}

/** The clock that the clients of a server share. */
export interface SharedClock {
  readonly state: PlayoutState
  /** Resolves when it was closed; rejects if the store couldn't be read. */
  readonly done: Promise<void>
  control(change: ClockChange): void
  close(): void
}

export class Playout implements SharedClock {
  /** Messages taken by the outlet. */
  messages = 0
  readonly done: Promise<void>
  readonly #of: PlayoutOptions
  #play: Play
  #part = -1
  readonly #record = scratch()
  #cursor: Cursor | null = null
  /** Replay time of the last item. */
  #timeMs: number
  #wake: () => void = () => undefined
  #isClosed = false
  /** A seek that the loop has yet to make. */
  #seekMs: number | null

  constructor(options: PlayoutOptions) {
    this.#of = options
    const { range, speed, loop } = options
    this.#timeMs = this.#seekMs = range.fromMs
    let state = newPlay(range, this.#realMs())
    ;[state] = play(state, { is: 'speed', speed }, this.#realMs())
    if (loop) [state] = play(state, { is: 'options', loop: range }, this.#realMs())
    this.#play = state
    this.done = this.#run()
    this.done.catch(() => undefined) // reported to the caller that awaits it
  }

  get state(): PlayoutState {
    const { playing, speed, ended } = this.#play
    const atMs = playing && speed !== 'max' ? due(this.#play, this.#realMs()) : this.#play.clockMs
    return { playing, speed, atMs: this.#seekMs ?? atMs, ended }
  }

  control({ playing, speed, atMs }: ClockChange): void {
    if (speed !== undefined) this.setSpeed(speed)
    if (atMs !== undefined) this.seek(atMs)
    if (playing !== undefined) this.setPlaying(playing)
  }

  setPlaying(on: boolean): void {
    this.#settle()
    this.#apply({ is: 'play', on })
  }

  setSpeed(speed: ReplaySpeed): void {
    this.#settle()
    this.#apply({ is: 'speed', speed })
  }

  /** Continues with the first message received at or after an instant, UTC ms. */
  seek(ms: number): void {
    const { fromMs, toMs } = this.#play.range
    this.#seekMs = Math.min(Math.max(ms, fromMs), toMs)
    this.#wake()
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  #realMs(): number {
    return this.#of.clock.monoNs() / 1e6
  }

  #apply(event: PlayEvent, realMs = this.#realMs()): void {
    const hadEnded = this.#play.ended
    const [next, jump] = play(this.#play, event, realMs)
    this.#play = next
    // A seek that was asked for is still to be made: play from there.
    if (jump !== null) this.#seekMs ??= jump.toMs
    if (next.ended && !hadEnded) this.#of.outlet.ended()
    this.#wake()
  }

  /** Brings the clock to now, so that the time since the last turn counts at the speed it passed at. */
  #settle(): void {
    if (!this.#play.playing || this.#cursor === null || this.#seekMs !== null) return
    // At full speed everything is due, so the clock is where the last message was.
    this.#turned(this.#play.speed === 'max')
  }

  #turned(left: boolean): number | null | undefined {
    const next = left ? undefined : this.#nextMs()
    const nextMs = next !== undefined && next !== null && next >= this.#play.range.toMs ? null : next
    // One reading of the clock: the time between two would be lost in every turn.
    const realMs = this.#realMs()
    this.#apply({ is: 'turned', dueMs: due(this.#play, realMs), timeMs: this.#timeMs, nextMs, left }, realMs)
    return nextMs
  }

  async #run(): Promise<void> {
    const { outlet } = this.#of
    try {
      while (!this.#isClosed) {
        if (this.#seekMs !== null) await this.#jump(this.#seekMs)
        else if (!this.#play.playing) await this.#rest(Infinity)
        else {
          const why = this.#advance()
          outlet.flush()
          await this.#afterTurn(why)
        }
      }
    } finally {
      this.#cursor?.close()
    }
  }

  async #jump(ms: number): Promise<void> {
    const { parts, reader, outlet, gapsOf } = this.#of
    this.#part = partAt(parts, ms)
    const part = parts[this.#part]
    // The last message or entry before the instant: the instant itself is played.
    const { session } = part
    const seq = (await reader.findPosition({ session, ms: previous(ms) }))?.seq ?? 0
    const all = (await gapsOf?.(session)) ?? null
    if (this.#isClosed || this.#seekMs !== ms) return
    // Until here the clock is on its way, and stays where it is sent.
    this.#seekMs = null
    this.#open(part, seq)
    this.#timeMs = ms
    ;[this.#play] = play(this.#play, { is: 'reached', ms }, this.#realMs())
    const gaps = all?.filter(({ fromSeq, toSeq }) => fromSeq <= seq && (toSeq === null || toSeq > seq))
    const isBetween = ms > part.toMs && this.#part < parts.length - 1
    outlet.jumped?.(gaps === undefined ? null : { gaps, isBetween })
  }

  #open({ session, lastSeq, counts }: Part, afterSeq: number): void {
    this.#cursor?.close()
    const { reader, outlet } = this.#of
    // With `counts`, each message decides whether it is served.
    const prefersLines = outlet.takesLines === true && counts === null
    this.#cursor = new Cursor(reader, session, afterSeq, lastSeq, { reusesBatches: true, prefersLines })
    this.#cursor.begin()
  }

  /** Gives the outlet what is due. Returns why it stopped. */
  #advance(): 'reached' | 'pending' | 'turn' | 'full' {
    const cursor = this.#cursor!
    const { outlet, parts } = this.#of
    const { counts } = parts[this.#part]
    const { toMs } = this.#play.range
    const early = this.#play.speed === 'max' ? 0 : EARLY_MS * this.#play.speed
    const upToMs = due(this.#play, this.#realMs()) + early
    for (let budget = TURN_MESSAGES; ;) {
      const kind = cursor.next()
      // After a failure, playing the next session would leave out messages without a word.
      if (kind === 'end') return cursor.failure === null && this.#nextPart() ? 'pending' : 'reached'
      if (kind === 'pending') return kind
      const nextMs = this.#timeOf(kind)
      if (nextMs > upToMs || nextMs >= toMs) return 'reached'
      if (kind === 'entry') {
        const stored = cursor.nextEntry()
        cursor.entry += 1
        this.#timeMs = Math.max(this.#timeMs, stored.wallMs)
        outlet.entry?.(stored)
        continue
      }
      const batch = cursor.batch!
      const { row } = cursor
      const end = (cursor.row = this.#passRows(cursor, budget, upToMs))
      if (counts === null) this.#give(batch, row, end)
      else for (let i = row; i < end; i++) if (isRowCounted(counts, batch, i, this.#record)) this.#give(batch, i, i + 1)
      if ((budget -= end - row) === 0) return outlet.isFull ? 'full' : 'turn'
    }
  }

  #give(batch: ReplayBatch, from: number, to: number): void {
    this.#of.outlet.take(batch, from, to)
    this.messages += to - from
  }

  /** Passes the next message, which is due, and those after it up to an entry or one that isn't. Returns the row after them. */
  #passRows({ batch, row: from, entry }: Cursor, most: number, upToMs: number): number {
    const { seq, recvMs, count, entries } = batch!
    const { toMs } = this.#play.range
    const entrySeq = entry < entries.length ? entries[entry].seq : Infinity
    const end = Math.min(count, from + most)
    let row = from
    let timeMs = this.#timeMs
    do {
      timeMs = Math.max(timeMs, recvMs[row++])
    } while (row < end && seq[row] < entrySeq && !(recvMs[row] > upToMs) && !(recvMs[row] >= toMs))
    this.#timeMs = timeMs
    return row
  }

  /** Opens the session after the current one; false if there is none. */
  #nextPart(): boolean {
    const { parts, outlet } = this.#of
    const next = parts.at(this.#part + 1)
    if (next === undefined) return false
    if (next.fromMs > parts[this.#part].toMs) outlet.between?.()
    this.#part += 1
    this.#timeMs = Math.max(this.#timeMs, next.fromMs)
    this.#open(next, 0)
    return true
  }

  /** Replay time of the next item, UTC ms; null at the end of everything, undefined while it isn't read yet. */
  #nextMs(): number | null | undefined {
    const kind = this.#cursor!.next()
    if (kind === 'pending') return undefined
    if (kind !== 'end') return this.#timeOf(kind)
    if (this.#cursor!.failure !== null) return undefined
    const following = this.#of.parts.at(this.#part + 1)
    return following === undefined ? null : Math.max(this.#timeMs, following.fromMs)
  }

  /** Replay time of the next item, which is known to be there, UTC ms. */
  #timeOf(kind: 'message' | 'entry'): number {
    const cursor = this.#cursor!
    const wallMs = kind === 'message' ? cursor.batch!.recvMs[cursor.row] : cursor.nextEntry().wallMs
    return Math.max(this.#timeMs, wallMs)
  }

  async #afterTurn(why: 'reached' | 'pending' | 'turn' | 'full'): Promise<void> {
    const { outlet } = this.#of
    const cursor = this.#cursor!
    if (cursor.failure !== null) throw cursor.failure
    const nextMs = this.#turned(why !== 'reached')
    if (outlet.isFull) await outlet.whenFree()
    else if (why === 'pending') await cursor.waitForNext()
    else if (why === 'turn') await turn()
    else if (this.#seekMs === null && this.#play.playing) {
      const ms = restMs(this.#play, nextMs ?? this.#play.range.toMs, REST_MS, this.#realMs())
      if (typeof nextMs === 'number' && ms <= EARLY_MS) await turn()
      else await this.#rest(ms)
    } else await turn()
  }

  /** Waits, but not past a change of the clock. */
  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const undo = ms === Infinity ? () => undefined : this.#of.clock.after(Math.max(0, Math.floor(ms)), () => done())
      const done = (): void => {
        this.#wake = () => undefined
        undo()
        resolve()
      }
      this.#wake = done
    })
  }
}
