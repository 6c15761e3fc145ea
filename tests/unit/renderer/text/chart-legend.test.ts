import '../browser-stubs.ts'
import { cleanup, render } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import { addStudy } from '../../../../src/renderer/features/chart/model/chart-studies.ts'
import { makeBar } from '../../../kit/market.ts'
import { Zone } from '../../../../src/renderer/text/zone.ts'
import ChartLegend from '../../../../src/renderer/features/chart/ChartLegend.svelte'

afterEach(cleanup)

const numbers = new Intl.NumberFormat('en-US')
const legend = {
  bar: null,
  previousClose: null,
  fromCrosshair: true,
  rests: false,
  gap: null,
  atMs: null,
  markers: [],
  studies: [],
  compared: [],
}
const PROPS = {
  legend,
  ticks: false,
  stepMs: 60_000,
  bars: '1m',
  spread: null,
  isRenko: false,
  interval: '1m',
  builtFrom: ['trade'],
  asset: 'crypto',
  style: 'candles',
  clock: new Zone('UTC'),
  digits: numbers,
  volumes: numbers,
  indicators: [],
  big: numbers,
  onStudy: vi.fn(),
  gapLabel: '',
  sides: { text: '', brief: '', tone: 'dim' },
  onHeight: vi.fn(),
} as const

it('says why levels of a session have no values, and shows small values of indexes with more decimals', () => {
  const study = (id: string, values: (number | null)[]) => ({
    ...{ id, values, colours: [], dashes: [], top: 0, problem: null },
  })
  const one = (kind: 'pivots' | 'session-range' | 'ppo') => ({ ...addStudy([], kind)[0], id: kind })
  const { container } = render(ChartLegend, {
    ...PROPS,
    legend: {
      ...legend,
      bar: makeBar({ close: 1 }),
      studies: [
        study('pivots', [null, null]),
        study('session-range', [2, 1]),
        study('ppo', [0.0512, -0.0207, 12.3456]),
      ],
    },
    indicators: [one('pivots'), one('session-range'), one('ppo')],
  })
  expect(container.textContent.match(/session’s start missing/g)).toHaveLength(1)
  expect(container.textContent).toMatch(/0\.0512.*−0\.0207.*12\.35/)
})

it.each([
  ['service', '15s', 'Service bars (crypto/XAS) · 15s'],
  ['service', '1m', 'Service bars (crypto/XA) · 1m'],
  ['trade', '1m', 'Trades · 1m'],
] as const)('names what bars of %s at %s are built from', (of, interval, text) => {
  const { container } = render(ChartLegend, { ...PROPS, bars: interval, interval, builtFrom: [of] })
  expect(container.textContent).toContain(text)
})
