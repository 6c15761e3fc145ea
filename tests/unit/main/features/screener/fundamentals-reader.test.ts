import { expect, it } from 'vitest'
import type { LatestResponse } from '../../../../../src/main/features/research/port.ts'
import { FundamentalsReader } from '../../../../../src/main/features/screener/fundamentals-reader.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import type { ServiceResponse } from '../../../../../src/shared/features/research/research.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'

const AAPL = instrumentId('stocks', 'AAPL')
const IBM = instrumentId('stocks', 'IBM')
const stocks = new Map([
  [AAPL, 'AAPL'],
  [IBM, 'IBM'],
])
const response = (text: string): ServiceResponse => ({
  ...{ id: 1, fetchedMs: unixMs(0), status: 200, contentType: 'application/json', size: 1, sha256: '' },
  text,
})

/** A history with these texts by id. */
function open(texts: Readonly<Record<number, string | CodedError>>) {
  let latest: readonly LatestResponse[] = []
  const asked: number[] = []
  const reader = new FundamentalsReader(
    {
      latest: async () => latest,
      async version(id) {
        asked.push(id)
        const text = texts[id]
        if (text instanceof CodedError) throw text
        return response(text)
      },
    },
    'live',
  )
  return { reader, asked, have: (all: readonly LatestResponse[]) => void (latest = all) }
}

it('reads each response once, and a newer one when it comes', async () => {
  const { reader, asked, have } = open({
    1: '{"marketCap":3e12}',
    2: '{"marketCap":1,"pe_ratio":30}',
    3: '{"marketCap":4e12}',
  })
  const ratios = { id: 2, endpoint: 'ratios-ttm', symbol: 'AAPL' }
  have([{ id: 1, endpoint: 'metrics', symbol: 'AAPL' }, ratios])
  const figures = { marketCap: 3e12, priceToEarnings: 30 }
  expect([...(await reader.read(stocks))]).toEqual([
    [AAPL, figures],
    [IBM, {}],
  ])
  expect((await reader.read(stocks)).get(AAPL)).toEqual(figures)
  expect(asked).toEqual([1, 2])
  have([{ id: 3, endpoint: 'metrics', symbol: 'AAPL' }, ratios])
  expect((await reader.read(stocks)).get(AAPL)).toEqual({ marketCap: 4e12, priceToEarnings: 30 })
  expect(asked).toEqual([1, 2, 3])
})

it('takes a corrupt response as none, and rejects if the history can’t be read', async () => {
  const { reader, have } = open({
    1: new CodedError('store-damaged', 'Corrupt.'),
    2: new CodedError('disk-error', 'Unreadable.'),
  })
  have([{ id: 1, endpoint: 'metrics', symbol: 'AAPL' }])
  expect((await reader.read(stocks)).get(AAPL)).toEqual({})
  have([{ id: 2, endpoint: 'metrics', symbol: 'AAPL' }])
  await expect(reader.read(stocks)).rejects.toThrow('Unreadable.')
})
