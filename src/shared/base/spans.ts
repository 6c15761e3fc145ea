/** Intervals [fromMs, toMs) on one timeline, as ordered lists without overlap. */

export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** Joins intervals that overlap or touch, orders them and drops empty ones. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: { fromMs: number; toMs: number }[] = []
  for (const { fromMs, toMs } of spans.filter((one) => one.toMs > one.fromMs).sort((a, b) => a.fromMs - b.fromMs)) {
    const last = merged.at(-1)
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs)
    else merged.push({ fromMs, toMs })
  }
  return merged
}

/**
 * Joins gaps that overlap or touch and orders them. Keeps empty ones, which are instants. A joined gap has the other
 * fields of its first one.
 */
export function joinGaps<G extends { readonly fromMs: number; readonly toMs: number | null }>(
  gaps: readonly G[],
): readonly G[] {
  const joined: G[] = []
  for (const gap of gaps.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1)
    const lastMs = last?.toMs ?? Infinity
    if (last === undefined || gap.fromMs > lastMs) joined.push(gap)
    else if ((gap.toMs ?? Infinity) > lastMs) joined[joined.length - 1] = { ...last, toMs: gap.toMs }
  }
  return joined
}

/** The time in `spans` but in none of `others`, merged. */
export function withoutSpans(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  const cuts = mergeSpans(others)
  const remaining: Span[] = []
  let first = 0
  for (const { fromMs, toMs } of mergeSpans(spans)) {
    let from = fromMs
    while (first < cuts.length && cuts[first].toMs <= fromMs) first++
    for (let i = first; i < cuts.length; i++) {
      const cut = cuts[i]
      if (cut.fromMs >= toMs) break
      if (cut.fromMs > from) remaining.push({ fromMs: from, toMs: cut.fromMs })
      from = Math.max(from, cut.toMs)
    }
    if (from < toMs) remaining.push({ fromMs: from, toMs })
  }
  return remaining
}

/** The time in both `spans` and `others`, merged. */
export const commonSpans = (spans: readonly Span[], others: readonly Span[]): readonly Span[] =>
  withoutSpans(spans, withoutSpans(spans, others))

/** The parts of a gap that are in `others`, merged. A gap of no length is an instant, and stays one. */
export const partsIn = (gap: Span, others: readonly Span[]): readonly Span[] =>
  gap.fromMs < gap.toMs
    ? commonSpans([gap], others)
    : others.some(({ fromMs, toMs }) => fromMs <= gap.fromMs && gap.fromMs < toMs)
      ? [gap]
      : []

/** The total length in ms, counting overlaps once. */
export function spansMs(spans: readonly Span[]): number {
  let ms = 0
  for (const { fromMs, toMs } of mergeSpans(spans)) ms += toMs - fromMs
  return ms
}
