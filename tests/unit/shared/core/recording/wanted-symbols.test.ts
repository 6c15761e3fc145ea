import { expect, test } from 'vitest'
import { wantedUntilKilled, type NumberedGap } from '../../../../../src/shared/core/recording/wanted-symbols.ts'

const feed = 'crypto/XT'
const gap = (cause: NumberedGap['cause'], seq: number, toSeq: number, openedMs: number, closedMs: number, ...symbols: string[]) => ({ cause, feed, symbols, seq, toSeq, openedMs, closedMs }) // oxfmt-ignore

test('a killed recorder still wanted what recovery ended, not what it had given up itself', () => {
  const gaps = [
    gap('drop', 10, 19, 1_000, 5_000, 'GONE-USD'),
    gap('drop', 11, 20, 1_000, 6_000, 'BTC-USD'),
    gap('drop', 12, 21, 1_000, 6_000, 'ETH-USD'),
    { ...gap('crash', 22, 24, 6_000, 9_000), feed: 'crypto/XQ' },
    gap('crash', 23, 25, 6_000, 9_000),
  ]
  expect(wantedUntilKilled(gaps, feed, 23).toSorted()).toEqual(['BTC-USD', 'ETH-USD'])
  expect(wantedUntilKilled(gaps, 'crypto/XQ', 22)).toEqual([])
  expect(wantedUntilKilled(gaps, feed, 11)).toEqual([])
})
