import { expect, it, vi } from 'vitest'
import { followCompared } from '../../../../../../src/renderer/features/chart/follow/compare-data.ts'
import type { ComparedSeries } from '../../../../../../src/renderer/charts/model/chart.ts'
import { instrumentId, unixMs } from '../../../../../../src/shared/base/units.ts'
import type { GapSpan } from '../../../../../../src/shared/core/status/status.ts'
import { makeBar } from '../../../../../kit/market.ts'
import { TestTransport } from '../../../../../kit/transport.ts'

it('gives each compared symbol its own bars and gaps', async () => {
  const gap: GapSpan = { feed: 'crypto/XT', cause: 'quit', fromMs: unixMs(60_000), toMs: unixMs(90_000) }
  const eth = instrumentId('crypto', 'ETH-USD')
  const eur = instrumentId('forex', 'EURUSD')
  const bars = [makeBar({ startMs: 0 })]
  const transport = new TestTransport().answer('bars.history', ({ instrument }) => ({
    bars,
    gaps: instrument === eth ? [gap] : [],
    decimals: 2,
    more: false,
  }))
  let shown: readonly ComparedSeries[] = []
  const chart = { setCompared: (next: readonly ComparedSeries[]) => void (shown = next) }
  const following = followCompared(transport, chart, 'live', '1m', [
    { instrument: eth, label: 'ETH-USD' },
    { instrument: eur, label: 'EURUSD' },
  ])
  await vi.waitFor(() =>
    expect(shown).toEqual([
      { label: 'ETH-USD', bars, gaps: [gap] },
      { label: 'EURUSD', bars, gaps: [] },
    ]),
  )
  following.stop()
  expect(shown).toEqual([])
})
