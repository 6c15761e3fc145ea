import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  DEFAULT_CHART_SETTINGS,
  MAX_COMPARED,
  chartSettingsSchema,
  type ChartIndicator,
} from '../../../../../src/shared/features/chart/chart-settings.ts'

const average: ChartIndicator = {
  id: 'a',
  kind: 'sma',
  values: { period: 50 },
  price: 'hl2',
  colours: ['#ff8800'],
  pane: 'auto',
  hidden: false,
}

describe('settings of a chart', () => {
  it('are whole from nothing, and read back as they were written', () => {
    expect(v.parse(chartSettingsSchema, {})).toEqual(DEFAULT_CHART_SETTINGS)
    const set = {
      ...DEFAULT_CHART_SETTINGS,
      indicators: [average],
      compare: ['stocks:SPY'],
      zone: 'Asia/Tokyo',
      scale: 'log',
    }
    expect(v.parse(chartSettingsSchema, JSON.parse(JSON.stringify(set)))).toEqual(set)
  })

  it('have event bars of whole trades', () => {
    const read = (kind: string, size: number) => v.parse(chartSettingsSchema, { eventBars: { kind, size } }).eventBars
    expect(read('tick', 1)).toEqual({ kind: 'tick', size: 1 })
    expect(read('tick', 0.5)).toBeNull()
    expect(read('renko', 0.5)).toEqual({ kind: 'renko', size: 0.5 })
  })

  it('lose only what is wrong', () => {
    const read = v.parse(chartSettingsSchema, {
      interval: '60m',
      scale: 'log',
      inverted: 'yes',
      zone: 4,
      indicators: [average, { id: 'b', kind: 'from the future' }, { ...average, id: 'c', values: { period: 'x' } }, 3],
      compare: ['stocks:SPY', 'nothing', 7, ...Array.from({ length: 9 }, (_, i) => `stocks:S${i}`)],
    })
    expect(read).toMatchObject({ interval: '1s', scale: 'log', inverted: false, zone: null })
    expect(read.indicators.map((one) => one.id)).toEqual(['a', 'c'])
    expect(read.indicators[1].values).toEqual({})
    expect(read.compare).toHaveLength(MAX_COMPARED)
    expect(read.compare[0]).toBe('stocks:SPY')
  })
})
