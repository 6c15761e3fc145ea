import { expect, it } from 'vitest'
import { FEEDS } from '../../../../../src/service/feeds.ts'
import { SERVICE_BAR_FEEDS, serviceBarFeed } from '../../../../../src/shared/core/market/market.ts'
import { ASSET_CLASSES, FEED_IDS } from '../../../../../src/shared/base/units.ts'

it('names every feed of bars, by the length of its bars', () => {
  const named = ASSET_CLASSES.flatMap((asset) => Object.values(SERVICE_BAR_FEEDS[asset]))
  expect(named.toSorted()).toEqual(FEED_IDS.filter((id) => FEEDS[id].kind === 'bar').toSorted())
  for (const asset of ASSET_CLASSES) {
    const { second, minute } = SERVICE_BAR_FEEDS[asset]
    expect([FEEDS[second].barMs, FEEDS[minute].barMs]).toEqual([1_000, 60_000])
    expect([FEEDS[second].asset, FEEDS[minute].asset]).toEqual([asset, asset])
    const chosen = [500, 1_000, 1_500, 59_000, 60_000, 90_000, 86_400_000].map((ms) => serviceBarFeed(asset, ms))
    expect(chosen).toEqual([undefined, second, undefined, second, minute, second, minute])
  }
})
