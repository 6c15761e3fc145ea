/** Timeline geometry: positions of instants, zoom, pan and ruler labels. Pure. Spans are [fromMs, toMs), UTC ms. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/base/durations.ts'
import type { Span } from '../../../shared/base/spans.ts'
import { axisText } from '../../charts/model/time-axis.ts'
import type { Zone } from '../../text/zone.ts'

/** The span at maximum zoom. */
export const MIN_SPAN_MS = SECOND_MS

export const lengthOf = (span: Span) => span.toMs - span.fromMs

/** The whole range plus a small margin, so both ends can be seen and dragged. */
export function wholeSpan(fromMs: number, toMs: number): Span {
  const length = Math.max(MIN_SPAN_MS, toMs - fromMs)
  const air = Math.max(20, length * 0.012)
  return { fromMs: fromMs - air, toMs: fromMs + length + air }
}

/** Moves a span into the whole range without changing its length. */
function clamped(span: Span, whole: Span): Span {
  const length = lengthOf(span)
  if (length >= lengthOf(whole)) return whole
  const fromMs = Math.min(Math.max(span.fromMs, whole.fromMs), whole.toMs - length)
  return { fromMs, toMs: fromMs + length }
}

/** Zooms by a factor (above 1 zooms in) and keeps `aroundMs` at the same place on screen. */
export function zoomSpan(span: Span, factor: number, aroundMs: number, whole: Span): Span {
  const length = Math.min(Math.max(lengthOf(span) / factor, MIN_SPAN_MS), lengthOf(whole))
  const share = (Math.min(Math.max(aroundMs, span.fromMs), span.toMs) - span.fromMs) / lengthOf(span)
  const fromMs = aroundMs - share * length
  return clamped({ fromMs, toMs: fromMs + length }, whole)
}

export function panSpan(span: Span, byMs: number, whole: Span): Span {
  return clamped({ fromMs: span.fromMs + byMs, toMs: span.toMs + byMs }, whole)
}

/** A span that contains `atMs`: the same one if it already does, else moved ahead by a page. */
export function followSpan(span: Span, atMs: number, whole: Span): Span {
  if (atMs >= span.fromMs && atMs < span.toMs) return span
  const length = lengthOf(span)
  return clamped({ fromMs: atMs - length * 0.08, toMs: atMs + length * 0.92 }, whole)
}

export const xOf = (ms: number, span: Span, width: number) => ((ms - span.fromMs) / lengthOf(span)) * width
export const msAt = (x: number, span: Span, width: number) => span.fromMs + (x / width) * lengthOf(span)

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  SECOND_MS, 2 * SECOND_MS, 5 * SECOND_MS, 10 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS,
  MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS,
  HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS,
  DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS, 28 * DAY_MS,
] // oxfmt-ignore

export interface RulerLabel {
  readonly ms: number
  readonly text: string
}

/** Labels at round local times of a zone, at least `leastPx` apart. */
export function rulerLabels(span: Span, width: number, zone: Zone, leastPx = 76): RulerLabel[] {
  if (width <= 0) return []
  const wanted = (lengthOf(span) / width) * leastPx
  const step = STEPS.find((one) => one >= wanted) ?? Math.ceil(wanted / (28 * DAY_MS)) * 28 * DAY_MS
  const labels: RulerLabel[] = []
  let day = Math.floor(zone.wall(span.fromMs) / DAY_MS)
  // Start one hour early: at a clock change, a round local time may be an hour off.
  for (let wall = Math.ceil((zone.wall(span.fromMs) - HOUR_MS) / step) * step; ; wall += step) {
    const guess = wall - zone.offset(wall - zone.offset(span.fromMs))
    const ms = wall - zone.offset(guess)
    if (ms >= span.toMs) break
    if (ms < span.fromMs || ms <= (labels.at(-1)?.ms ?? -Infinity)) continue
    const today = Math.floor(zone.wall(ms) / DAY_MS)
    labels.push({ ms, text: axisText(ms, Math.min(step, 28 * DAY_MS), today !== day, zone) })
    day = today
  }
  return labels
}
