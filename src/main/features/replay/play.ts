/**
 * The clock of a replay as a pure state machine: the real time is an argument, and what the market does is
 * told in two numbers. Replay times are UTC ms, real times ms of a monotonic clock.
 */
import type { ReplaySpeed } from '../../../shared/features/replay/replay.ts'

/** Stretches without a message that are longer are passed at once, ms. */
export const IDLE_MS = 2_000

export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

export interface Play {
  readonly range: Span
  readonly playing: boolean
  readonly speed: ReplaySpeed
  readonly skipIdle: boolean
  readonly loop: Span | null
  /** The replay's clock at `sinceMs` of the real one. */
  readonly clockMs: number
  readonly sinceMs: number
  /** It played to the end of the range. */
  readonly ended: boolean
}

export type PlayEvent =
  | { readonly is: 'play'; readonly on: boolean }
  | { readonly is: 'speed'; readonly speed: ReplaySpeed }
  | { readonly is: 'options'; readonly skipIdle?: boolean | undefined; readonly loop?: Span | null | undefined }
  /** More was recorded: the range ends later. */
  | { readonly is: 'grown'; readonly toMs: number }
  /** A seek or a step put the state at this replay time. */
  | { readonly is: 'reached'; readonly ms: number }
  /**
   * What could be applied of what `due` allowed was. `timeMs`: of the last that is applied. `nextMs`: of the
   * next that is not; null: none is left; undefined: it is not read yet. `left`: some that was due is not applied.
   */
  | {
      readonly is: 'turned'
      readonly dueMs: number
      readonly timeMs: number
      readonly nextMs: number | null | undefined
      readonly left: boolean
    }

/** What is to be done after an event: put the state at that replay time, and tell `reached`. */
export interface PlayJump {
  readonly toMs: number
}

export type PlayStep = readonly [Play, PlayJump | null]

/** Paused at the start. */
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

/** Up to which replay time messages may be applied now; Infinity is never due, the bound is. */
export function due(play: Play, realMs: number): number {
  if (!play.playing) return play.clockMs
  const bound = boundOf(play)
  if (play.speed === 'max') return bound
  return Math.min(bound, play.clockMs + Math.max(0, realMs - play.sinceMs) * play.speed)
}

/** How long, in real ms, nothing will be due; at most `mostMs`. */
export function restMs(play: Play, nextMs: number | null | undefined, mostMs: number): number {
  if (nextMs === undefined || nextMs === null || play.speed === 'max') return mostMs
  return Math.min(mostMs, Math.max(0, (nextMs - play.clockMs) / play.speed))
}

/** Moves the clock. */
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
  // What was due since the last turn is not applied: the clock stands where it stood then.
  if (!on) return [{ ...at(state, state.clockMs, realMs), playing: false }, null]
  const next: Play = { ...state, playing: true, ended: false, sinceMs: realMs }
  if (outside(next)) return [next, { toMs: next.loop?.fromMs ?? next.range.fromMs }]
  return [next, null]
}

function onTurned(state: Play, event: PlayEvent & { readonly is: 'turned' }, realMs: number): PlayStep {
  if (!state.playing) return [state, null]
  const { dueMs, timeMs, nextMs, left } = event
  // What is due, or may be, and is not applied yet holds the clock back: nothing before it may be missing.
  if (left || nextMs === undefined) {
    return [at(state, Math.max(state.clockMs, Math.min(timeMs, dueMs)), realMs), null]
  }
  const bound = boundOf(state)
  let clockMs = Math.max(state.clockMs, dueMs)
  const upTo = Math.min(bound, nextMs ?? state.range.toMs)
  if (state.skipIdle && upTo - Math.max(timeMs, state.range.fromMs) > IDLE_MS) clockMs = Math.max(clockMs, upTo)
  const next = at(state, clockMs, realMs)
  if (clockMs < bound) return [next, null]
  // Of what comes at the very bound nothing may be left.
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

/** Where playing cannot go on from. */
const outside = (state: Play): boolean =>
  state.clockMs >= boundOf(state) || (state.loop !== null && state.clockMs < state.loop.fromMs)

const clamp = (ms: number, { fromMs, toMs }: Span): number => Math.min(Math.max(ms, fromMs), toMs)

/** A loop inside of the range; null where nothing of it is. */
function within(loop: Span | null, range: Span): Span | null {
  if (loop === null) return null
  const fromMs = clamp(Math.min(loop.fromMs, loop.toMs), range)
  const toMs = clamp(Math.max(loop.fromMs, loop.toMs), range)
  return toMs > fromMs ? { fromMs, toMs } : null
}
