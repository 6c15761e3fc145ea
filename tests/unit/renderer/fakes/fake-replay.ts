/** A replay made up for component tests and screenshots: its state moves by calls and by hand, no market follows. */
import type { CallArgs, CallName, CallValue } from '../../../../src/shared/contracts.ts'
import type { SessionRow } from '../../../../src/shared/core/recording/recording.ts'
import type { ReplayBookmark, ReplayState, ReplayTimeline } from '../../../../src/shared/features/replay/replay.ts'
import { recordingId, unixMs } from '../../../../src/shared/base/units.ts'

export type ReplayCallName = Extract<CallName, `replay.${string}` | `bookmarks.${string}`>

const STEP_MS = { message: 120, second: 1_000, bar: 60_000 } as const

export class FakeReplay {
  state: ReplayState | null = null
  bookmarks: readonly ReplayBookmark[] = []
  #opened = 0
  readonly #told: (state: ReplayState) => void

  constructor(told: (state: ReplayState) => void) {
    this.#told = told
  }

  /** Changes the state as its stream would tell. */
  change(patch: Partial<ReplayState>): ReplayState | null {
    if (this.state === null) return null
    this.state = { ...this.state, ...patch }
    this.#told(this.state)
    return this.state
  }

  /** The answer of a call of this name; the caller pairs name and arguments. */
  answer(name: ReplayCallName, args: unknown, sessions: readonly SessionRow[]): CallValue<ReplayCallName> | undefined {
    switch (name) {
      case 'replay.open':
        return this.#open(args as CallArgs<'replay.open'>, sessions)
      case 'replay.close':
        if (this.state?.id === (args as CallArgs<'replay.close'>).id) this.state = null
        return null
      case 'replay.play':
        this.change({ playing: (args as CallArgs<'replay.play'>).on, ended: false })
        return null
      case 'replay.speed':
        this.change({ speed: (args as CallArgs<'replay.speed'>).speed })
        return null
      case 'replay.step': {
        const { by, forward } = args as CallArgs<'replay.step'>
        return this.#moved((this.state?.nowMs ?? 0) + (forward ? 1 : -1) * STEP_MS[by], { playing: false }) ?? undefined
      }
      case 'replay.seek':
        return this.#moved(this.#place((args as CallArgs<'replay.seek'>).to), {}) ?? undefined
      case 'replay.options': {
        const { id: _id, ...options } = args as CallArgs<'replay.options'>
        const loop = options.loop && { fromMs: unixMs(options.loop.fromMs), toMs: unixMs(options.loop.toMs) }
        this.change({
          ...(options.skipIdle === undefined ? {} : { skipIdle: options.skipIdle }),
          ...(loop === undefined ? {} : { loop }),
        })
        return null
      }
      case 'replay.timeline':
        return this.#timeline(args as CallArgs<'replay.timeline'>, sessions)
      case 'bookmarks.list':
        return this.bookmarks
      case 'bookmarks.add': {
        const { session, atMs, seq, text } = args as CallArgs<'bookmarks.add'>
        const added = {
          id: this.bookmarks.length + 1,
          session: recordingId(session),
          atMs: unixMs(atMs),
          seq,
          text,
        }
        this.bookmarks = [...this.bookmarks, added]
        return added
      }
      case 'bookmarks.remove': {
        const { bookmark } = args as CallArgs<'bookmarks.remove'>
        this.bookmarks = this.bookmarks.filter(({ id }) => id !== bookmark)
        return null
      }
    }
  }

  #open({ sessions: wanted, atMs }: CallArgs<'replay.open'>, rows: readonly SessionRow[]): ReplayState {
    const parts = rows
      .filter((row) => wanted.includes(row.session))
      .map((row) => ({
        session: row.session,
        fromMs: row.startedMs,
        toMs: row.endedMs ?? unixMs(row.startedMs + 60_000),
      }))
      .sort((a, b) => a.fromMs - b.fromMs)
    const fromMs = parts[0]?.fromMs ?? unixMs(0)
    this.state = {
      id: `replay-${++this.#opened}`,
      source: rows[0]?.source ?? 'demo',
      sessions: parts,
      fromMs,
      toMs: parts.at(-1)?.toMs ?? fromMs,
      nowMs: atMs === null ? fromMs : unixMs(atMs),
      at: null,
      playing: false,
      speed: 1,
      skipIdle: false,
      loop: null,
      seeking: false,
      ended: false,
      messages: 0,
      perSecond: 0,
      exactness: { is: 'none' },
      problem: null,
    }
    return this.state
  }

  #moved(ms: number, patch: Partial<ReplayState>): ReplayState | null {
    const { state } = this
    if (state === null) return null
    return this.change({ ...patch, nowMs: unixMs(Math.min(Math.max(ms, state.fromMs), state.toMs)), ended: false })
  }

  #place(to: CallArgs<'replay.seek'>['to']): number {
    if (to.at === 'ms') return to.ms
    if (to.at === 'end') return this.state?.toMs ?? 0
    if (to.at === 'bookmark') return this.bookmarks.find(({ id }) => id === to.bookmark)?.atMs ?? 0
    return to.at === 'start' ? (this.state?.fromMs ?? 0) : (this.state?.nowMs ?? 0) + 60_000
  }

  #timeline(args: CallArgs<'replay.timeline'>, rows: readonly SessionRow[]): ReplayTimeline {
    const { fromMs, toMs, buckets } = args
    return {
      fromMs: unixMs(fromMs),
      toMs: unixMs(toMs),
      counts: Array.from({ length: buckets }, (_, i) =>
        Math.round(400 + 300 * Math.sin(i / 7) + 90 * Math.sin(i * 1.7)),
      ),
      gaps: rows.flatMap(({ gaps }) => gaps).filter((gap) => gap.fromMs < toMs && (gap.toMs ?? Infinity) > fromMs),
      bookmarks: this.bookmarks,
    }
  }
}
