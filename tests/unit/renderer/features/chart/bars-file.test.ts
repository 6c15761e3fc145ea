/** A file of the bars in view names what they are: a ratio or bricks aren't the trades of an instrument. */
import { expect, it } from 'vitest'
import { barsFile } from '../../../../../src/renderer/features/chart/bars-file.ts'
import { DEFAULT_CHART_SETTINGS, type ChartSettings } from '../../../../../src/shared/features/chart/chart-settings.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { makeBar } from '../../../../kit/market.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const spread = (other: ReturnType<typeof instrumentId>, operator: '/' | '-') =>
  ({ of: BTC, with: other, label: 'X', operator }) as const

it.each([
  ['trades', {}, 'BTC-USD-1m-trade.csv', 'BTC-USD', 'trade'],
  ['quotes', { of: 'bid' }, 'BTC-USD-1m-bid.csv', 'BTC-USD', 'bid'],
  [
    'a ratio',
    { spread: spread(instrumentId('crypto', 'ETH-USD'), '/') },
    'BTC-USD_X-1m-trade.csv',
    'BTC-USD/X',
    'trade',
  ],
  [
    'a difference with forex',
    { spread: spread(instrumentId('forex', 'EUR/USD'), '-') },
    'BTC-USD-−-X-1m-trade_mid.csv',
    'BTC-USD − X',
    'trade/mid',
  ],
  ['bars by trades', { eventBars: { kind: 'tick', size: 100 } }, 'BTC-USD-100-trades-trade.csv', 'BTC-USD', 'trade'],
  ['bricks', { eventBars: { kind: 'renko', size: 5 }, of: 'mid' }, 'BTC-USD-Renko-5-renko.csv', 'BTC-USD', 'renko'],
] as const satisfies readonly (readonly [string, Partial<ChartSettings>, string, string, string])[])(
  'bars of %s',
  (_, patch, name, symbol, of) => {
    const settings = { ...DEFAULT_CHART_SETTINGS, interval: '1m', ...patch } as const
    const file = barsFile('BTC-USD', BTC, settings, [makeBar({ close: 1 })])
    const cells = file.text.split('\n')[1].split(',')
    expect([file.name, cells[0], cells.at(-1)]).toEqual([name, symbol, of])
  },
)
