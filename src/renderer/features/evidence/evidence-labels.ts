/** Evidence in words: shares, flags, parts. */
import type { Verdict } from '../../../shared/features/evidence/agreement.ts'
import type { BarSource } from '../../../shared/core/market/market.ts'
import { FLAG, type Problem } from '../../../shared/core/recording/recording.ts'
import { say } from '../../text/catalogue.ts'

/**
 * A share in percent that never says more than it is: what is not whole never reads "100 %", and what is
 * nearly whole gets the decimals that show what is missing: "99.98 %", "99.9997 %".
 */
export function shareText(share: number | null): string {
  if (share === null || !Number.isFinite(share)) return '\u2014'
  if (share >= 1) return '100 %'
  for (let decimals = 2; decimals <= 6; decimals++) {
    const shown = Math.floor(share * 100 * 10 ** decimals + 1e-6) / 10 ** decimals
    const says = shown < 100 && (!/^99\.9+$/.test(shown.toFixed(decimals)) || share * 100 - shown < 1e-9)
    if (says) return `${shown.toFixed(decimals)} %`
  }
  return '> 99.99999 %'
}

/** What the bits of a stored message say. */
export function flagWords(flags: number): readonly string[] {
  const words: readonly (readonly [number, string])[] = [
    [FLAG.binary, say('evidenceWords.binary-frame')],
    [FLAG.invalidUtf8, say('evidenceWords.not-utf-8')],
    [FLAG.control, say('evidenceWords.control-message')],
    [FLAG.undecodable, say('evidenceWords.could-not-be-read')],
    [FLAG.unasked, say('evidenceWords.not-asked-kept-out')],
    [FLAG.undated, say('evidenceWords.no-usable-event-time')],
  ]
  return words.filter(([bit]) => (flags & bit) !== 0).map(([, word]) => word)
}

export const VERDICT_TEXT: Readonly<Record<Verdict, string>> = {
  agrees: say('verdict.agrees'),
  differs: say('verdict.differs'),
  'not comparable': say('evidenceWords.not-comparable'),
}

/** What a bar is built from, within a sentence. */
export const BAR_SOURCE_TEXT: Readonly<Record<BarSource, string>> = {
  trade: say('barSource.trade'),
  bid: say('barSource.bid'),
  ask: say('barSource.ask'),
  mid: say('barSource.mid'),
  service: say('barSource.service'),
}

/** What kind of difference verification found. */
export const PROBLEM_TEXT: Readonly<Record<Problem['kind'], string>> = {
  missing: say('problem.missing'),
  changed: say('problem.changed'),
  doubled: say('problem.doubled'),
  reordered: say('problem.reordered'),
  torn: say('problem.torn'),
  count: say('problem.count'),
  rollup: say('problem.rollup'),
  digest: say('problem.digest'),
  entry: say('problem.entry'),
  structure: say('problem.structure'),
}
