/** Evidence in words: shares, flags, parts. */
import type { Verdict } from '../../shared/agreement.ts'
import { FLAG, type Problem } from '../../shared/recording.ts'

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
    [FLAG.binary, 'binary frame'],
    [FLAG.invalidUtf8, 'not UTF-8'],
    [FLAG.control, 'control message'],
    [FLAG.undecodable, 'could not be read'],
    [FLAG.unasked, 'not asked for: kept out of bars'],
    [FLAG.undated, 'no usable event time: dated by receipt'],
  ]
  return words.filter(([bit]) => (flags & bit) !== 0).map(([, word]) => word)
}

export const VERDICT_TEXT: Readonly<Record<Verdict, string>> = {
  agrees: 'agrees',
  differs: 'differs',
  'not comparable': 'not comparable',
}

/** What kind of difference verification found. */
export const PROBLEM_TEXT: Readonly<Record<Problem['kind'], string>> = {
  missing: 'missing',
  changed: 'changed',
  doubled: 'doubled',
  reordered: 'reordered',
  torn: 'torn',
  count: 'count',
  rollup: 'bars',
  digest: 'digest',
  entry: 'entry',
  structure: 'structure',
}
