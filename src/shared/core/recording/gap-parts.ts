/** Divides the time that no session of a shard received among their gaps, so that each instant has one cause. */
import { partsIn, withoutSpans, type Span } from '../../base/spans.ts'
import type { FeedId } from '../../base/units.ts'
import { isEdge, type GapCause } from './session.ts'

/** A gap of a session, by the service's clock, UTC ms. */
export interface ClaimingGap {
  readonly feed: FeedId
  /** Instrument keys of its symbols. */
  readonly keys: readonly string[]
  readonly fromMs: number
  /** When it ended for a symbol, by its place in `keys`; before `fromMs`: it was none. */
  readonly toMs: (at: number) => number
}

/** The part of a gap that is of some of its symbols. */
export interface GapPart {
  readonly span: Span
  /** Places of the symbols in `keys`. */
  readonly of: readonly number[]
}

/**
 * Orders the gaps of sessions that are given with the latest lease last. What comes first states a time that several have. A
 * recorder that is connecting or was ended says less of it than one that lost what it had.
 */
export function orderOfClaims<G extends { readonly cause: GapCause }>(sessions: readonly (readonly G[])[]): G[] {
  const all = sessions.toReversed().flat()
  return [...all.filter((gap) => !isEdge(gap)), ...all.filter((gap) => isEdge(gap))]
}

export class GapParts {
  readonly #findUncovered: (feed: FeedId, key: string) => readonly Span[]
  /** Spans that are in a gap already, by feed and instrument. Most instruments of a feed share them. */
  readonly #counted = new Map<string, readonly Span[]>()

  /** `findUncovered`: when no session received an instrument. The same list for those of which the same is known. */
  constructor(findUncovered: (feed: FeedId, key: string) => readonly Span[]) {
    this.#findUncovered = findUncovered
  }

  /** The parts of the next gap that no session received and no gap before it has. */
  take({ feed, keys, fromMs, toMs }: ClaimingGap): readonly GapPart[] {
    const finders = new Map<number, ReturnType<typeof rememberParts>>()
    const parts = new Map<string, { readonly span: Span; readonly of: number[] }>()
    for (const [at, key] of keys.entries()) {
      const name = `${feed} ${key}`
      const endMs = toMs(at)
      const find = finders.get(endMs) ?? rememberParts({ fromMs, toMs: endMs })
      finders.set(endMs, find)
      const { found, all } = find(this.#findUncovered(feed, key), this.#counted.get(name) ?? NOTHING)
      this.#counted.set(name, all)
      for (const span of found) {
        const part = parts.get(`${span.fromMs} ${span.toMs}`) ?? { span, of: [] }
        parts.set(`${span.fromMs} ${span.toMs}`, part)
        part.of.push(at)
      }
    }
    return [...parts.values()]
  }
}

const NOTHING: readonly Span[] = []

interface Counted {
  /** The parts of the gap that no session received and that aren't counted yet. */
  readonly found: readonly Span[]
  /** Everything that is counted now. */
  readonly all: readonly Span[]
}

/** Finds what of a gap no session received, once for all symbols of which the same is known. */
function rememberParts(gap: Span): (none: readonly Span[], counted: readonly Span[]) => Counted {
  const known = new Map<readonly Span[], Map<readonly Span[], Counted>>()
  return (none, counted) => {
    const ofNone = known.get(none) ?? new Map<readonly Span[], Counted>()
    known.set(none, ofNone)
    let result = ofNone.get(counted)
    if (result === undefined) {
      const parts =
        gap.fromMs > gap.toMs
          ? []
          : partsIn(
              gap,
              none.filter((one) => isNear(one, gap)),
            )
      const found = parts.flatMap((part) => uncounted(part, counted))
      ofNone.set(counted, (result = { found, all: found.length === 0 ? counted : [...counted, ...found] }))
    }
    return result
  }
}

const isNear = (one: Span, other: Span): boolean => one.fromMs <= other.toMs && other.fromMs <= one.toMs

/** What of a gap isn't in those that count already. */
function uncounted(part: Span, counted: readonly Span[]): readonly Span[] {
  const others = counted.filter((one) => isNear(one, part))
  if (others.length === 0) return [part]
  return part.fromMs < part.toMs ? withoutSpans([part], others) : []
}
