import { describe, expect, it } from 'vitest'
import { joinGaps } from '../../../../src/shared/base/spans.ts'

const gap = (fromMs: number, toMs: number | null, cause = 'drop') => ({ cause, fromMs, toMs })

describe('joinGaps', () => {
  it.each([
    ['gaps that are apart, in order', [gap(20, 30), gap(0, 10)], [gap(0, 10), gap(20, 30)]],
    ['gaps that touch', [gap(0, 10), gap(10, 20)], [gap(0, 20)]],
    ['a gap inside of another', [gap(0, 10), gap(2, 5)], [gap(0, 10)]],
    ['gaps after an open one', [gap(0, null), gap(5, 10), gap(20, null)], [gap(0, null)]],
    ['a gap that an open one continues', [gap(0, 10), gap(5, null)], [gap(0, null)]],
    ['instants', [gap(5, 5), gap(9, 9), gap(5, 5)], [gap(5, 5), gap(9, 9)]],
    ['the other fields of the first', [gap(5, 10, 'sleep'), gap(0, 6, 'drop')], [gap(0, 10, 'drop')]],
    ['none', [], []],
  ])('handles %s', (_, gaps, joined) => {
    expect(joinGaps(gaps)).toEqual(joined)
  })
})
