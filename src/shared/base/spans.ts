/** Intervals [fromMs, toMs) on one time line, as lists in order and without overlap. */

export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** The same time as few intervals in order: what overlaps or touches is one. Empty ones vanish. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: { fromMs: number; toMs: number }[] = []
  for (const { fromMs, toMs } of spans.filter((one) => one.toMs > one.fromMs).sort((a, b) => a.fromMs - b.fromMs)) {
    const last = merged.at(-1)
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs)
    else merged.push({ fromMs, toMs })
  }
  return merged
}

/** What of `spans` lies in none of `others`; the answer is merged. */
export function withoutSpans(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  const holes = mergeSpans(others)
  const left: Span[] = []
  let first = 0
  for (const { fromMs, toMs } of mergeSpans(spans)) {
    let from = fromMs
    while (first < holes.length && holes[first].toMs <= fromMs) first++
    for (let i = first; i < holes.length; i++) {
      const hole = holes[i]
      if (hole.fromMs >= toMs) break
      if (hole.fromMs > from) left.push({ fromMs: from, toMs: hole.fromMs })
      from = Math.max(from, hole.toMs)
    }
    if (from < toMs) left.push({ fromMs: from, toMs })
  }
  return left
}

/** What of `spans` lies in one of `others` too; the answer is merged. */
export const commonSpans = (spans: readonly Span[], others: readonly Span[]): readonly Span[] =>
  withoutSpans(spans, withoutSpans(spans, others))

/** Milliseconds of all of them, each instant counted once. */
export function spansMs(spans: readonly Span[]): number {
  let ms = 0
  for (const { fromMs, toMs } of mergeSpans(spans)) ms += toMs - fromMs
  return ms
}
