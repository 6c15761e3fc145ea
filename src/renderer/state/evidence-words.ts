/** Evidence in words: shares, flags, parts. */
import type { Verdict } from '../../shared/agreement.ts'
import { FLAG, type Problem } from '../../shared/recording.ts'
import { say } from '../messages/catalogue.ts'

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
  agrees: 'agrees',
  differs: 'differs',
  'not comparable': say('evidenceWords.not-comparable'),
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
