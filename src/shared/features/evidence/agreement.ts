/**
 * Detects loss on feeds without sequence numbers: compares bars built from received ticks with the bars that the
 * service sent. Decides what can be compared, what agrees and what that proves.
 */
import type { Bar } from '../../core/market/market.ts'

export type Verdict = 'agrees' | 'differs' | 'not comparable'
export const BAR_PARTS = ['open', 'high', 'low', 'close', 'volume'] as const
export type BarPart = (typeof BAR_PARTS)[number]

export interface BarNumbers {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Null if its records carry no volume. */
  readonly volume: number | null
  /** The number of records it was built from. */
  readonly count: number
}

/** Why an interval can't be compared, or how its two bars differ. */
export type Why =
  | 'gap in the ticks'
  | 'gap in the bars'
  | 'no bar received'
  | 'nothing received'
  | 'no tick received'
  | 'not over yet'
  | 'numbers differ'

export interface Comparison {
  readonly startMs: number
  readonly verdict: Verdict
  /** Null if the bars agree. */
  readonly why: Why | null
  /** The parts that differ, in the order of BAR_PARTS. */
  readonly parts: readonly BarPart[]
  readonly built: BarNumbers | null
  readonly sent: BarNumbers | null
}

/** What else is known of the interval. */
export interface Circumstances {
  readonly startMs: number
  /** The ticks were received from its start to its end. */
  readonly ticksWhole: boolean
  /** The service's bar should have arrived: its feed was received then and for a while afterwards. */
  readonly barsWhole: boolean
  /** It has ended, and its bar has had time to arrive. */
  readonly over: boolean
  /** Volumes can be compared: both count trades. Quotes have none. */
  readonly volumes: boolean
}

/** The middle of two decimals can differ in its last bit from the price that it is. */
const SAME_PRICE = 2 ** -50

/** Sums of sizes are doubles and a service may round them; within this relative difference they are equal. */
const SAME_VOLUME = 1e-9

/** Whether two sums of sizes are equal except for rounding. */
export function sameVolume(a: number, b: number): boolean {
  return Math.abs(a - b) <= SAME_VOLUME * Math.max(1, Math.abs(a), Math.abs(b))
}

const numbers = (bar: Bar | undefined): BarNumbers | null =>
  bar === undefined
    ? null
    : { open: bar.open, high: bar.high, low: bar.low, close: bar.close, volume: bar.volume, count: bar.count }

/** Compares the bar built from ticks with the one that the service sent. */
export function compareBars(built: Bar | undefined, sent: Bar | undefined, about: Circumstances): Comparison {
  const answer = (verdict: Verdict, why: Why | null, parts: readonly BarPart[] = []): Comparison => ({
    startMs: about.startMs,
    verdict,
    why,
    parts,
    built: numbers(built),
    sent: numbers(sent),
  })
  if (!about.over) return answer('not comparable', 'not over yet')
  if (!about.ticksWhole) return answer('not comparable', 'gap in the ticks')
  if (built === undefined && sent === undefined) return answer('not comparable', 'nothing received')
  if (sent === undefined) {
    return about.barsWhole ? answer('differs', 'no bar received') : answer('not comparable', 'gap in the bars')
  }
  if (built === undefined) {
    // A bar without volume repeats the last price of a quiet interval, so nothing is missing.
    const empty = about.volumes && sent.volume === 0
    return empty ? answer('agrees', null) : answer('differs', 'no tick received')
  }
  const parts = BAR_PARTS.filter((part) => {
    if (part !== 'volume') return Math.abs(built[part] - sent[part]) > sent[part] * SAME_PRICE
    return about.volumes && built.volume !== null && sent.volume !== null && !sameVolume(built.volume, sent.volume)
  })
  return parts.length === 0 ? answer('agrees', null) : answer('differs', 'numbers differ', parts)
}

export interface AgreementCounts {
  readonly agrees: number
  readonly differs: number
  readonly notComparable: number
}

export function countVerdicts(of: Iterable<{ readonly verdict: Verdict }>): AgreementCounts {
  let agrees = 0
  let differs = 0
  let notComparable = 0
  for (const { verdict } of of) {
    if (verdict === 'agrees') agrees++
    else if (verdict === 'differs') differs++
    else notComparable++
  }
  return { agrees, differs, notComparable }
}

/** The share of comparable intervals that agree, 0 to 1; null if none could be compared. */
export function agreementOf({ agrees, differs }: AgreementCounts): number | null {
  return agrees + differs === 0 ? null : agrees / (agrees + differs)
}

/** The verdict on a minute from its own bar and its seconds. One difference is enough. */
export function joinVerdicts(minute: Verdict, seconds: AgreementCounts): Verdict {
  if (minute === 'differs' || seconds.differs > 0) return 'differs'
  return minute === 'agrees' || seconds.agrees > 0 ? 'agrees' : 'not comparable'
}

/** What a comparison can and can't prove, in sentences. `volumes` as in Circumstances. */
export function proofSentences({ volumes }: { readonly volumes: boolean }): readonly string[] {
  return [
    volumes
      ? 'A trade that was lost changes the volume of its bar, and open, high, low or close if it set one: then the bars differ.'
      : 'A quote that was lost shows only where it set the open, high, low or close of its bar. One between them leaves no trace.',
    'Bars that agree make loss unlikely, but do not prove that every message came: what the service itself left out of both is not seen.',
    'Bars that differ do not prove a loss here: the service may build its bars from other records, correct them later or date them otherwise.',
    volumes
      ? 'Prices are compared exactly, volumes to nine digits. Intervals that a gap touches are not compared.'
      : 'Prices are compared exactly; the volume of bars over quotes is not defined and not compared. Intervals that a gap touches are not compared.',
  ]
}
