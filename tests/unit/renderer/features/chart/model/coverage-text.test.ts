import { expect, it } from 'vitest'
import { plainNote, sidesLabel } from '../../../../../../src/renderer/core/market/side-labels.ts'
import {
  coverageText,
  flowNote,
  footprintNote,
  type ShownFlow,
} from '../../../../../../src/renderer/features/chart/model/coverage-text.ts'
import { addStudy, placeStudy } from '../../../../../../src/renderer/features/chart/model/chart-studies.ts'
import { instrumentId } from '../../../../../../src/shared/base/units.ts'
import type { ReadSides, StudyLegend } from '../../../../../../src/renderer/charts/model/chart.ts'

const read = (gaps: number): ReadSides => ({
  meter: { join: { by: 'event', ms: 0 }, explained: 0.98, trades: 400 },
  coverage: { trades: 1_000, unknown: 20, unquoted: 5, gaps, breaks: 0 },
  range: { fromMs: 0, toMs: null },
})
const explained = 'Sides inferred, 98.0 % explained by quotes.'
const shares = '2.0 % of trades have no side. 0.5 % of trades had no current quote.'
const NONE: ShownFlow = { footprint: null, indicators: [], sides: plainNote('reading trades…'), studies: [] }
const SPREAD = {
  of: instrumentId('crypto', 'BTC-USD'),
  with: instrumentId('crypto', 'ETH-USD'),
  label: 'ETH-USD',
}
const profile = (id: string, sides: ReadSides | null): StudyLegend => ({
  id,
  values: [],
  colours: [],
  dashes: [],
  top: null,
  problem: null,
  profile: { ofTrades: sides !== null, most: 1, area: [1, 1], sides },
})

it('says nothing where no order flow is shown', () => {
  expect(coverageText(NONE)).toBe('')
  expect(coverageText({ ...NONE, indicators: addStudy([], 'sma') })).toBe('')
})

it('names each figure, its gaps, and its trades without a side or a current quote', () => {
  const indicators = ['delta', 'cvd', 'session-vwap', 'volume-profile'] as const
  expect(
    coverageText({
      footprint: sidesLabel(read(1)),
      indicators: indicators.reduce<ShownFlow['indicators']>((list, kind) => addStudy(list, kind), []),
      sides: sidesLabel(read(2)),
      studies: [profile('volume-profile-1', read(0))],
    }),
  ).toBe(
    [
      `Footprint: ${explained} Trades or quotes were lost once. ${shares}`,
      `Delta, CVD: ${explained} Trades or quotes were lost 2 times. ${shares}`,
      'VWAP trades: Trades or quotes were lost 2 times.',
      `VP: ${explained} ${shares}`,
    ].join(' '),
  )
})

it('says nothing of sides for a VWAP, which depends on none', () => {
  const vwap = { ...NONE, indicators: addStudy([], 'session-vwap') }
  expect(coverageText({ ...vwap, sides: sidesLabel(read(0)) })).toBe('')
  expect(coverageText(vwap)).toBe('VWAP trades: reading trades…')
})

it('says what is still being read, made from bars, or waits for its place, and leaves out what is hidden', () => {
  const [hidden, unplaced] = placeStudy(addStudy([], 'delta'), 'volume-profile', { fromMs: 0, toMs: 0 })
  expect(
    coverageText({
      ...NONE,
      footprint: plainNote('reading trades…'),
      indicators: [{ ...hidden, hidden: true }, unplaced, { ...unplaced, id: 'vp', values: {} }],
      studies: [profile('vp', null)],
    }),
  ).toMatch(/^Footprint: reading trades… VP: from bars\. .*range\. VP.*: Nothing to show without an anchor\./)
})

it.each([
  ['a ratio', { spread: { ...SPREAD, operator: '/' as const }, isTimed: false }, 'a ratio has no trades'],
  ['a difference', { spread: { ...SPREAD, operator: '-' as const }, isTimed: false }, 'a difference has no trades'],
  ['bars by trades', { isTimed: false }, 'needs time-based bars'],
  ['forex', { asset: 'forex' as const }, 'forex has no trades'],
  ['trades that are being read', {}, 'reading trades…'],
])('says why %s has no order flow', (_what, shown, text) => {
  const chart = { spread: null, isTimed: true, asset: 'crypto' as const, ...shown }
  expect(flowNote(chart, null).text).toBe(text)
  expect(footprintNote(chart, null, String, String)).toMatchObject({ text, bars: '' })
})

it.each([
  [{ fromMs: 60, toMs: 120 }, 'from 60 to 120'],
  [{ fromMs: 60, toMs: null }, 'from 60 on'],
])('says which bars the sides of a footprint are counted over: %o', (range, bars) => {
  const chart = { spread: null, isTimed: true, asset: 'crypto' } as const
  const note = footprintNote(chart, { ...read(0), range }, String, (ms) => `0${ms}`)
  const { text } = note
  expect(note.bars, 'in the legend').toBe(`all bars ${bars.replaceAll(/\d+/g, '0$&')}`)
  expect(text).toBe(`${explained} ${shares} Counted over all bars ${bars}, in view or not.`)
})
