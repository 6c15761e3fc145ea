/** Indicators that begin at an anchor: where they get it from, and what they say without one. */
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import '../../browser-stubs.ts'
import ChartIndicators from '../../../../../src/renderer/features/chart/toolbar/ChartIndicators.svelte'
import FormulaEditor from '../../../../../src/renderer/charts/formula/FormulaEditor.svelte'
import {
  addStudy,
  placeStudy,
  studyTitle,
  sumsNeeded,
  unplacedNote,
  type AnchoredKind,
} from '../../../../../src/renderer/features/chart/model/chart-studies.ts'
import type { ChartIndicator } from '../../../../../src/shared/features/chart/chart-settings.ts'
import { RESETS } from '../../../../../src/shared/core/market/indicators/delta.ts'
import { PROFILE_RANGES } from '../../../../../src/shared/core/market/indicators/table.ts'

afterEach(cleanup)
const BAR_MS = Date.UTC(2026, 0, 5, 10)
const AT_ANCHOR = { reset: RESETS.indexOf('anchor') }
const FROM_ANCHOR = { range: PROFILE_RANGES.indexOf('anchor') }
const MARKED = { range: PROFILE_RANGES.indexOf('marked') }

describe('an indicator without a place', () => {
  it.each<[ChartIndicator['kind'], ChartIndicator['values'], string | undefined]>([
    ['anchored-vwap', {}, 'no anchor'],
    ['anchored-vwap', { anchor: BAR_MS }, undefined],
    ['cvd', {}, undefined],
    ['cvd', AT_ANCHOR, 'no anchor'],
    ['cvd', { ...AT_ANCHOR, anchor: BAR_MS }, undefined],
    ['volume-profile', {}, undefined],
    ['volume-profile', FROM_ANCHOR, 'no anchor'],
    ['volume-profile', { ...FROM_ANCHOR, from: BAR_MS }, undefined],
    ['volume-profile', MARKED, 'no range'],
    ['volume-profile', { ...MARKED, from: 1, to: 2 }, undefined],
    ['sma', {}, undefined],
  ])('%s %j says “%s”', (kind, values, brief) => {
    expect(unplacedNote({ kind, values })?.brief).toBe(brief)
  })

  it.each<[AnchoredKind, ChartIndicator['values']]>([
    ['anchored-vwap', {}],
    ['cvd', AT_ANCHOR],
    ['volume-profile', FROM_ANCHOR],
  ])('gets the place chosen on the chart: %s', (kind, values) => {
    const place = { fromMs: BAR_MS, toMs: 0 }
    const [waiting, ...more] = placeStudy(addStudy([], kind, { ...values, width: 2 }), kind, place)
    expect(more).toEqual([])
    expect(unplacedNote(waiting)).toBeNull()
    expect(waiting.values).toMatchObject({ width: 2 })
    // One that has its place keeps it, and another one is added.
    expect(placeStudy([waiting], kind, { fromMs: BAR_MS + 1, toMs: 0 })).toEqual([waiting, expect.anything()])
  })

  it('of cumulative delta reads trades from its anchor', () => {
    expect(sumsNeeded(placeStudy([], 'cvd', { fromMs: BAR_MS, toMs: 0 }))).toEqual({ week: false, anchors: [BAR_MS] })
  })
})

describe('the list of indicators', () => {
  function show(indicators: readonly ChartIndicator[], anchorMs: number | null, edited: string | null = null) {
    const onchange = vi.fn<(next: ChartIndicator[]) => void>()
    render(ChartIndicators, { indicators, onchange, window: null, edited, anchorMs: () => anchorMs, zone: 'UTC' })
    return { last: () => onchange.mock.lastCall?.[0].at(-1)?.values }
  }

  it('adds a VWAP that begins at the bar of the crosshair, or else the first one in view', async () => {
    const list = show([], BAR_MS)
    await fireEvent.click(screen.getByRole('button', { name: /VWAP of trades from an anchor/ }))
    expect(list.last()).toEqual({ anchor: BAR_MS })
  })

  it('anchors cumulative delta there once it resets at an anchor', async () => {
    const list = show(addStudy([], 'cvd'), BAR_MS, 'cvd-1')
    await fireEvent.change(screen.getByRole('combobox', { name: 'Reset' }), { target: { value: '4' } })
    expect(list.last()).toEqual({ ...AT_ANCHOR, anchor: BAR_MS })
  })

  it('takes a typed anchor, and keeps the one before if it can’t be read', async () => {
    const list = show(addStudy([], 'anchored-vwap', { anchor: BAR_MS }), null, 'anchored-vwap-1')
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Anchor' })
    const before = field.value
    await fireEvent.change(field, { target: { value: 'sometime' } })
    expect(list.last()).toBeUndefined()
    expect(field.value).toBe(before)
    await fireEvent.change(field, { target: { value: before } })
    expect(list.last(), 'it reads its own text').toEqual({ anchor: BAR_MS })
    await fireEvent.change(field, { target: { value: '2026-01-06T00:00:00Z' } })
    expect(list.last()).toEqual({ anchor: Date.UTC(2026, 0, 6) })
  })

  it('says what to do while there is no bar to anchor at', () => {
    show(addStudy([], 'anchored-vwap'), null, 'anchored-vwap-1')
    expect(screen.getByText(/Nothing to show without an anchor/)).toBeTruthy()
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Anchor' }).placeholder).toBe('Not set')
  })
})

it('a profile over days says over how many', () => {
  const title = (values: ChartIndicator['values']) => studyTitle(addStudy([], 'volume-profile', values)[0])
  const range = PROFILE_RANGES.indexOf('days')
  expect([title({}), title({ days: 3 }), title({ range }), title({ range, days: 3 })]).toEqual([
    'VP',
    'VP',
    'VP 5 days',
    'VP 3 days',
  ])
})

it.each([
  ['visible', false],
  ['day', false],
  ['days', true],
  ['anchor', false],
] as const)('a profile of %s offers a number of days: %s', (range, isOffered) => {
  const indicators = addStudy([], 'volume-profile', { range: PROFILE_RANGES.indexOf(range) })
  const edited = 'volume-profile-1'
  render(ChartIndicators, { indicators, onchange: vi.fn(), window: null, edited, anchorMs: () => 0, zone: 'UTC' })
  expect(screen.getByRole('spinbutton', { name: 'Levels' })).toBeTruthy()
  expect(screen.queryByRole('spinbutton', { name: 'Days' }) !== null).toBe(isOffered)
})

describe('a formula with an error', () => {
  it('is kept as a draft when its popover closes, and shown again', async () => {
    let formula: NonNullable<ChartIndicator['formula']> = { name: 'Z', text: 'close' }
    const open = () => render(FormulaEditor, { formula, onchange: (next: typeof formula) => void (formula = next) })
    const area = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Text of the formula' })
    open()
    await fireEvent.input(area(), { target: { value: 'sma(close' } })
    cleanup()
    expect(formula).toEqual({ name: 'Z', text: 'close', draft: 'sma(close' })
    open()
    expect(area().value).toBe('sma(close')
    await fireEvent.input(area(), { target: { value: 'sma(close, 5)' } })
    cleanup()
    expect(formula).toEqual({ name: 'Z', text: 'sma(close, 5)' })
  })
  it('is named by the title of its only line', () => {
    const titleOf = (text: string, name = '') => studyTitle({ ...addStudy([], 'formula')[0], formula: { name, text } })
    expect(titleOf('plot("Z", close)')).toBe('Z')
    expect(titleOf('plot("Z", close)', 'Mine')).toBe('Mine')
    expect(titleOf('close * 2')).toBe('Formula')
    expect(titleOf('plot("A", close)\nplot("B", open)')).toBe('Formula')
  })
})
