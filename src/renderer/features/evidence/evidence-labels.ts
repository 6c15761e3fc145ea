/** Display text for message flags, verdicts, bar sources and verification problems. */
import type { Verdict } from '../../../shared/features/evidence/agreement.ts'
import type { BarSource } from '../../../shared/core/market/market.ts'
import { FLAG, type Problem } from '../../../shared/core/recording/session.ts'
import { t } from '../../../shared/base/text.ts'

/** Display text for each flag bit of a stored message. */
export function flagText(flags: number): readonly string[] {
  const words: readonly (readonly [number, string])[] = [
    [FLAG.binary, t('binary frame')],
    [FLAG.invalidUtf8, t('not UTF-8')],
    [FLAG.control, t('control message')],
    [FLAG.undecodable, t('couldn’t be decoded')],
    [FLAG.unasked, t('unasked: not used in bars')],
    [FLAG.undated, t('no usable event time: receive time used')],
  ]
  return words.filter(([bit]) => (flags & bit) !== 0).map(([, word]) => word)
}

export const VERDICT_TEXT: Readonly<Record<Verdict, string>> = {
  agrees: t('agrees'),
  differs: t('differs'),
  'not comparable': t('not comparable'),
}

/** What a bar is built from, for use within a sentence. */
export const BAR_SOURCE_TEXT: Readonly<Record<BarSource, string>> = {
  trade: t('trades'),
  bid: t('bid'),
  ask: t('ask'),
  mid: t('mid'),
  service: t('service bars'),
}

/** The kinds of differences verification finds. */
export const PROBLEM_TEXT: Readonly<Record<Problem['kind'], string>> = {
  missing: t('missing'),
  changed: t('changed'),
  doubled: t('duplicated'),
  reordered: t('reordered'),
  torn: t('corrupt'),
  count: t('count'),
  rollup: t('bars'),
  digest: t('digest'),
  entry: t('entry'),
  structure: t('structure'),
  signature: t('signature'),
}
