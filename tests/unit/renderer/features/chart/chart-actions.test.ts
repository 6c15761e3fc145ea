import { expect, it, vi } from 'vitest'
import { placeActions, type PlaceActs } from '../../../../../src/renderer/features/chart/chart-actions.ts'
import type { ShownTrades } from '../../../../../src/renderer/features/chart/model/chart-props.ts'

const span = { fromMs: 1_000, toMs: 2_000 }
const row: ShownTrades = { span, cell: { decimals: 2, group: 50, row: 201 } }

/** The entries of the menu at a price that begin with a text. */
function entries(
  trades: PlaceActs['trades'],
  anchor: PlaceActs['anchor'] = null,
  ms: number | null = null,
  first = 'Trades',
  more: Partial<PlaceActs> = {},
) {
  const none = () => undefined
  const acts: PlaceActs = {
    onEvent: none,
    replayFrom: null,
    alertAt: null,
    messages: null,
    open: none,
    anchor,
    marked: null,
    trades,
    fit: none,
    picture: none,
    table: false,
    toggleTable: none,
    decimals: 2,
    priceText: (price) => price.toFixed(2),
    keys: () => '',
    review: null,
    profileRange: null,
    ...more,
  }
  return placeActions({ bar: null, ms, level: 100.7, price: null, marks: [] }, acts).flatMap((entry) =>
    entry !== null && typeof entry === 'object' && entry.text.startsWith(first) ? [entry] : [],
  )
}

it('opens the trades of a profile’s row, and those in view without a side or quote', () => {
  const open = vi.fn()
  const found = entries({ profileAt: (price) => (price === 100.7 ? row : null), inView: span, open })
  expect(found.map(({ text }) => text)).toEqual([
    'Trades of the profile from 100.50',
    'Trades in view without a side',
    'Trades in view without a current quote',
  ])
  for (const entry of found) entry.run()
  expect(open.mock.calls).toEqual([[row], [{ span, only: 'unsided' }], [{ span, only: 'unquoted' }]])
})

it('offers no trades where no order flow is shown', () => {
  expect(entries(null)).toEqual([])
  expect(entries({ profileAt: () => null, inView: null, open: () => undefined })).toEqual([])
})

it('anchors at the bar under the mouse, and nothing where no trades can be read', () => {
  const anchor = vi.fn()
  const at = ['Anchor VWAP here', 'CVD from here', 'Volume profile from here']
  for (const text of at) {
    expect(entries(null, null, 5_000, text)).toEqual([])
    for (const entry of entries(null, anchor, 5_000, text)) entry.run()
  }
  const place = { fromMs: 5_000, toMs: 0 }
  expect(anchor.mock.calls).toEqual([
    ['anchored-vwap', place],
    ['cvd', place],
    ['volume-profile', place],
  ])
})

it('reviews the marked range, or else the bars in view', () => {
  const review = vi.fn()
  const offered = (more: Partial<PlaceActs>) => entries(null, null, null, 'Review', more).map(({ text }) => text)
  expect(offered({})).toEqual([])
  expect(offered({ review })).toEqual(['Review bars in view'])
  expect(offered({ review, marked: span })).toEqual(['Review marked range'])
  entries(null, null, null, 'Review', { review })[0].run()
  expect(review).toHaveBeenCalledOnce()
})

it('offers the profile of the marked range, or else of one that is then chosen', () => {
  const profileRange = vi.fn()
  const offered = (more: Partial<PlaceActs>) => entries(null, null, null, 'Volume', more).map(({ text }) => text)
  expect(offered({})).toEqual([])
  expect(offered({ profileRange })).toEqual(['Volume profile of a range…'])
  expect(offered({ profileRange, marked: span })).toEqual(['Volume profile of the marked range'])
  entries(null, null, null, 'Volume', { profileRange })[0].run()
  expect(profileRange).toHaveBeenCalledOnce()
})
