/**
 * Levels of trading sessions: pivots, the session before, the range of the session, and its opening range. Sessions are
 * days of crypto and forex, and the main session of stocks. Nothing is shown for a session whose start wasn't seen.
 */
import { ABSENT, folding, type BarValues, type Indicator } from './indicator.ts'
import type { DayOf } from './indicators.ts'
import { utcDay, type WrittenSpec } from './row.ts'

interface Range {
  readonly high: number
  readonly low: number
  readonly close: number
}
interface Sessions {
  /** Start of the last session, UTC ms; NaN before the first one. */
  readonly openMs: number
  /** Null if its first bars weren't seen. */
  readonly range: Range | null
  readonly before: Range | null
  /** Bars that start before this instant are of its opening range. */
  readonly opening: Range | null
}

const NO_SESSION: Sessions = { openMs: ABSENT, range: null, before: null, opening: null }
const widen = (range: Range | null, { high, low, close }: BarValues): Range => ({
  high: Math.max(range?.high ?? -Infinity, high),
  low: Math.min(range?.low ?? Infinity, low),
  close,
})

/** Follows the sessions of bars; `openingMs` is the length of the opening range. */
function sessions(openOf: DayOf, openingMs: number, values: (state: Sessions, bar: BarValues) => readonly number[]) {
  /** Any bar was seen, so that the next session is seen from its start. */
  interface Seen extends Sessions {
    readonly isFirst: boolean
  }
  const next = (state: Seen, bar: BarValues): Seen => {
    const startMs = bar.startMs ?? 0
    const openMs = openOf(startMs)
    // Outside of the main session, the levels stay.
    if (Number.isNaN(openMs)) return { ...state, isFirst: false }
    const isNew = openMs !== state.openMs
    if (isNew && state.isFirst && startMs > openMs) return { ...NO_SESSION, openMs, isFirst: false }
    if (!isNew && state.range === null) return state
    const range = widen(isNew ? null : state.range, bar)
    const isOpening = startMs < openMs + openingMs
    return {
      openMs,
      range,
      before: isNew ? state.range : state.before,
      opening: isOpening ? widen(isNew ? null : state.opening, bar) : isNew ? null : state.opening,
      isFirst: false,
    }
  }
  return folding<Seen>({ ...NO_SESSION, isFirst: true }, next, values)
}

/** Classic floor pivots of the session before: [P, R1, S1, R2, S2, R3, S3]. Person, Guide to Technical Trading, 2004. */
export function pivots(openOf: DayOf): Indicator {
  return sessions(openOf, 0, ({ before }) => {
    if (before === null) return Array.from({ length: 7 }, () => ABSENT)
    const { high, low, close } = before
    const pivot = (high + low + close) / 3
    const width = high - low
    return [
      pivot,
      2 * pivot - low,
      2 * pivot - high,
      pivot + width,
      pivot - width,
      high + 2 * (pivot - low),
      low - 2 * (high - pivot),
    ]
  })
}

const edges = (range: Range | null): readonly [number, number] => [range?.high ?? ABSENT, range?.low ?? ABSENT]

/** [high, low] of the session so far. */
export const sessionRange = (openOf: DayOf): Indicator => sessions(openOf, 0, ({ range }) => edges(range))

/** [high, low, close] of the session before. */
export const priorSession = (openOf: DayOf): Indicator =>
  sessions(openOf, 0, ({ before }) => [...edges(before), before?.close ?? ABSENT])

/** [high, low] of the first minutes of the session. The range still grows during these minutes. */
export const openingRange = (minutes: number, openOf: DayOf): Indicator =>
  sessions(openOf, minutes * 60_000, ({ opening }) => edges(opening))

const levels = {
  place: 'price',
  takesPrice: false,
  usualPrice: 'close',
  unit: 'price',
  parameters: [],
  drawn: { marks: 'steps' },
} as const

export const SESSION_ROWS = {
  pivots: {
    ...levels,
    title: 'Pivot points (classic)',
    short: 'Pivots',
    outputs: ['P', 'R1', 'S1', 'R2', 'S2', 'R3', 'S3'],
    create: (_, __, dayOf = utcDay, openOf = dayOf) => pivots(openOf),
  },
  'session-range': {
    ...levels,
    title: 'Session high and low',
    short: 'Session',
    outputs: ['High', 'Low'],
    create: (_, __, dayOf = utcDay, openOf = dayOf) => sessionRange(openOf),
  },
  'prior-session': {
    ...levels,
    title: 'Previous session’s high, low, close',
    short: 'Previous',
    outputs: ['High', 'Low', 'Close'],
    create: (_, __, dayOf = utcDay, openOf = dayOf) => priorSession(openOf),
  },
  'opening-range': {
    ...levels,
    title: 'Opening range',
    short: 'OR',
    parameters: [{ key: 'minutes', title: 'Minutes', value: 30, least: 1, most: 720 }],
    outputs: ['High', 'Low'],
    create: ([minutes], __, dayOf = utcDay, openOf = dayOf) => openingRange(minutes, openOf),
  },
} as const satisfies Record<string, WrittenSpec>
