/**
 * The clock of a replay as a pure state machine. Real time is passed in, and playback progress arrives as events.
 * Replay times are UTC ms; real times are ms of a monotonic clock.
 */
import type { Span } from '../../../../shared/base/spans.ts'
import type { ReplaySpeed } from '../../../../shared/features/replay/replay.ts'

/** With `skipIdle`, gaps between messages longer than this are skipped, ms. */
const IDLE_MS = 2_000

export interface Play {
  readonly range: Span
  readonly playing: boolean
  readonly speed: ReplaySpeed
  readonly skipIdle: boolean
  readonly loop: Span | null
  /** The replay clock at real time `sinceMs`. */
  readonly clockMs: number
  readonly sinceMs: number
  /** It played to the end of the range. */
  readonly ended: boolean
}

export type PlayEvent =
  | { readonly is: 'play'; readonly on: boolean }
  | { readonly is: 'speed'; readonly speed: ReplaySpeed }
  | { readonly is: 'options'; readonly skipIdle?: boolean | undefined; readonly loop?: Span | null | undefined }
  /** More was recorded, so the range ends later. */
  | { readonly is: 'grown'; readonly toMs: number }
  /** A seek or a step arrived at this replay time. */
  | { readonly is: 'reached'; readonly ms: number }
  /**
   * A turn applied as much as it could of what was due. `timeMs`: replay time of the last item applied. `nextMs`:
   * replay time of the next item; null if there is none, undefined if it isn't read yet. `left`: some due items
   * weren't applied. The event's real time is when `dueMs` was found, so that a turn takes no time of the clock; if
   * something is left or not read yet, it is the end of the turn.
   */
  | {
      readonly is: 'turned'
      readonly dueMs: number
      readonly timeMs: number
      readonly nextMs: number | null | undefined
      readonly left: boolean
    }

/** Requests a seek to this replay time, followed by a `reached` event. */
export interface PlayJump {
  readonly toMs: number
}

export type PlayStep = readonly [Play, PlayJump | null]

/** A paused clock at the start of the range. */
export function newPlay(range: Span, realMs: number): Play {
  return {
    range,
    playing: false,
    speed: 1,
    skipIdle: false,
    loop: null,
    clockMs: range.fromMs,
    sinceMs: realMs,
    ended: false,
  }
}

/** The replay time up to which messages are due now. Never past the end of the loop or range, even at max speed. */
export function due(play: Play, realMs: number): number {
  if (!play.playing) return play.clockMs
  const bound = boundOf(play)
  if (play.speed === 'max') return bound
  return Math.min(bound, play.clockMs + Math.max(0, realMs - play.sinceMs) * play.speed)
}

/** Real ms from `realMs` until something is due, at most `mostMs`. */
export function restMs(play: Play, nextMs: number | null | undefined, mostMs: number, realMs: number): number {
  if (nextMs === undefined || nextMs === null || play.speed === 'max') return mostMs
  return Math.min(mostMs, Math.max(0, (nextMs - play.clockMs) / play.speed - (realMs - play.sinceMs)))
}

/** Applies an event to the clock. Returns the new clock, and a jump if a seek is needed. */
export function play(state: Play, event: PlayEvent, realMs: number): PlayStep {
  switch (event.is) {
    case 'play':
      return onPlay(state, event.on, realMs)
    case 'speed':
      return [{ ...at(state, state.clockMs, realMs), speed: event.speed }, null]
    case 'options': {
      const { skipIdle = state.skipIdle } = event
      const loop = event.loop === undefined ? state.loop : within(event.loop, state.range)
      const next = { ...state, skipIdle, loop }
      return state.playing && outside(next) ? [next, { toMs: loop?.fromMs ?? state.range.fromMs }] : [next, null]
    }
    case 'grown':
      return [grown(state, event.toMs), null]
    case 'reached':
      return [{ ...at(state, clamp(event.ms, state.range), realMs), ended: false }, null]
    case 'turned':
      return onTurned(state, event, realMs)
  }
}

function onPlay(state: Play, on: boolean, realMs: number): PlayStep {
  if (on === state.playing) return [state, null]
  // Nothing was applied since the last turn, so the clock pauses at that turn's time.
  if (!on) return [{ ...at(state, state.clockMs, realMs), playing: false }, null]
  const next: Play = { ...state, playing: true, ended: false, sinceMs: realMs }
  if (outside(next)) return [next, { toMs: next.loop?.fromMs ?? next.range.fromMs }]
  return [next, null]
}

function onTurned(state: Play, event: PlayEvent & { readonly is: 'turned' }, realMs: number): PlayStep {
  if (!state.playing) return [state, null]
  const { dueMs, timeMs, nextMs, left } = event
  // Hold the clock while due items aren't applied or the next one isn't read, so that no item before it is missing.
  if (left || nextMs === undefined) {
    return [at(state, Math.max(state.clockMs, Math.min(timeMs, dueMs)), realMs), null]
  }
  const bound = boundOf(state)
  let clockMs = Math.max(state.clockMs, dueMs)
  const upTo = Math.min(bound, nextMs ?? state.range.toMs)
  if (state.skipIdle && upTo - Math.max(timeMs, state.range.fromMs) > IDLE_MS) clockMs = Math.max(clockMs, upTo)
  const next = at(state, clockMs, realMs)
  if (clockMs < bound) return [next, null]
  // Apply everything at the bound itself before stopping or looping.
  if (nextMs !== null && nextMs <= bound) return [next, null]
  if (state.loop !== null) return [next, { toMs: state.loop.fromMs }]
  return [{ ...next, playing: false, ended: true }, null]
}

function grown(state: Play, toMs: number): Play {
  const range = { ...state.range, toMs: Math.max(state.range.toMs, toMs) }
  return { ...state, range, ended: state.ended && state.clockMs >= range.toMs }
}

const at = (state: Play, clockMs: number, realMs: number): Play => ({ ...state, clockMs, sinceMs: realMs })

const boundOf = ({ loop, range }: Play): number => (loop === null ? range.toMs : loop.toMs)

/** Whether playback can't continue from the current time, which is past the end or outside the loop. */
const outside = (state: Play): boolean =>
  state.clockMs >= boundOf(state) || (state.loop !== null && state.clockMs < state.loop.fromMs)

const clamp = (ms: number, { fromMs, toMs }: Span): number => Math.min(Math.max(ms, fromMs), toMs)

/** The loop clipped to the range. Null if they don't overlap. */
function within(loop: Span | null, range: Span): Span | null {
  if (loop === null) return null
  const fromMs = clamp(Math.min(loop.fromMs, loop.toMs), range)
  const toMs = clamp(Math.max(loop.fromMs, loop.toMs), range)
  return toMs > fromMs ? { fromMs, toMs } : null
}
