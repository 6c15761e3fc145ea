/** Evidence in words: flags, parts. */
import type { Verdict } from '../../../shared/features/evidence/agreement.ts'
import type { BarSource } from '../../../shared/core/market/market.ts'
import { FLAG, type Problem } from '../../../shared/core/recording/recording.ts'
import { say } from '../../text/catalogue.ts'

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
