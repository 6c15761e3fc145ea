import { describe, expect, test } from 'vitest'
import { quietDraft } from '../../../../../../benchmarks/quiet-alert.ts'
import {
  formOf,
  formulaForm,
  indicatorForm,
  readForm,
  withFormula,
} from '../../../../../../src/renderer/features/alerts/form/alert-form.ts'
import { chartCondition, formulasOf } from '../../../../../../src/renderer/features/alerts/form/chart-line.ts'
import { instrumentId } from '../../../../../../src/shared/base/units.ts'
import type { ChartIndicator } from '../../../../../../src/shared/features/chart/chart-settings.ts'
import { conditionSchema } from '../../../../../../src/shared/features/alerts/types.ts'
import * as v from 'valibot'

const BTC = instrumentId('crypto', 'BTC-USD')
const Z = 'n = input("Length", 20)\nz = (close - sma(close, n)) / stdev(close, n)\nplot("Z", z)\nlevel(-2)\nlevel(2)'
const onChart = (more: Partial<ChartIndicator>): ChartIndicator => ({
  id: 'one',
  kind: 'formula',
  values: {},
  price: 'close',
  colours: [],
  pane: 'auto',
  hidden: false,
  ...more,
})
const bars = { of: 'trade', interval: '5m' } as const

describe('an indicator on a chart as an alert', () => {
  test('a formula with the settings of the chart, at its highest level', () => {
    const condition = chartCondition(onChart({ values: { n: 9 }, formula: { name: 'Z-score', text: Z } }), bars)
    expect(condition).toEqual({
      is: 'indicator',
      ...bars,
      line: { id: 'formula', name: 'Z-score', text: Z, values: [9], output: 0 },
      against: { is: 'level', level: 2 },
      direction: 'either',
      on: 'close',
    })
    expect(v.safeParse(conditionSchema, condition).success).toBe(true)
  })

  test('over the prices, it is compared with the close', () => {
    expect(chartCondition(onChart({ kind: 'ema', values: { period: 9 } }), bars)).toMatchObject({
      line: { id: 'ema', values: [9] },
      against: { is: 'price' },
    })
    const mean = { name: '', text: 'sma(close, 3)' }
    expect(chartCondition(onChart({ pane: 'price', formula: mean }), bars)).toMatchObject({ against: { is: 'price' } })
  })

  test('not where alerts can’t watch it', () => {
    expect(chartCondition(onChart({ kind: 'volume-profile' }), bars)).toBeNull()
    expect(chartCondition(onChart({ kind: 'cvd' }), bars)).toBeNull()
    expect(chartCondition(onChart({ formula: { name: '', text: 'close -' } }), bars)).toBeNull()
  })
})

describe('a formula in the form', () => {
  const draft = (form = formulaForm('Z-score', Z, { n: 9 })) => {
    const fields = { ...formOf(quietDraft(BTC, { is: 'price', of: 'last', level: 1, direction: 'up' })), line: form }
    return readForm({ ...fields, kind: 'indicator', lineLevel: '2' }, BTC, null)
  }

  test('is read as it was written', () => {
    const made = draft().draft
    expect(made?.condition).toMatchObject({ line: { id: 'formula', name: 'Z-score', text: Z, values: [9], output: 0 } })
    expect(made && formOf(made).line).toEqual(formulaForm('Z-score', Z, { n: 9 }))
  })

  test('keeps the values of settings while its text is edited', () => {
    const line = formulaForm('', 'a = input("A", 5)\nb = input("B", 6)\nclose + a + b', { a: 7, b: 8 })
    expect(withFormula(line, '', 'b = input("B", 6)\nclose + b').values).toEqual(['8'])
    expect(withFormula(line, '', 'c = input("C", 3)\nclose + c').values).toEqual(['3'])
  })

  test('says what is wrong with it', () => {
    expect(draft(formulaForm('', 'close -')).problems.line).toMatch(/^Line 1, column 7/)
    expect(draft(formulaForm('', 'delta')).problems.line).toContain('volume delta')
    expect(draft({ ...formulaForm('', Z), values: ['x'] }).problems.line).toBe('Enter 1 to 5,000.')
    expect(draft(indicatorForm('rsi')).draft).not.toBeNull()
  })
})

test('sets offer their formulas, each once and without errors', () => {
  const [good, bad] = [
    { name: 'Z', text: Z },
    { name: 'Bad', text: 'close -' },
  ]
  const set = {
    name: 'Mine',
    indicators: [onChart({ formula: good }), onChart({ formula: bad }), onChart({ kind: 'rsi' })],
  }
  expect(formulasOf([set, { ...set, name: 'Again' }])).toEqual([{ ...good, values: {} }])
})
