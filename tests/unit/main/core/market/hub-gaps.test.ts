import { expect, it } from 'vitest'
import { HubGaps } from '../../../../../src/main/core/market/hub-gaps.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')

it('remembers a gap that is open, whatever comes after it, and closes it', () => {
  const gaps = new HubGaps()
  const drop = { feed: 'crypto/XT', cause: 'drop' } as const
  gaps.add({ ...drop, symbols: ['BTC-USD'], fromMs: unixMs(1), toMs: null }, [])
  for (let ms = 2; ms < 600; ms++)
    gaps.add({ ...drop, symbols: ['ETH-USD'], fromMs: unixMs(ms), toMs: unixMs(ms + 1) }, [])
  expect(gaps.spans('crypto/XT', ETH)).toHaveLength(499)
  gaps.close('crypto/XT', unixMs(1), unixMs(600))
  expect(gaps.spans('crypto/XT', BTC)).toEqual([{ feed: 'crypto/XT', cause: 'drop', fromMs: 1, toMs: 600 }])
})
