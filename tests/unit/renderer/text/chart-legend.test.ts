import '../browser-stubs.ts'
import { cleanup, fireEvent, render } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sidesLabel } from '../../../../src/renderer/core/market/side-labels.ts'
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

it('says that a profile has no volume, such as of forex or a ratio', () => {
  const [one] = addStudy([], 'volume-profile')
  const study = { id: one.id, values: [], colours: [], dashes: [], top: null, problem: null, profile: null }
  const { container } = render(ChartLegend, {
    ...PROPS,
    legend: { ...legend, studies: [study] },
    indicators: [one],
  })
  expect(container.querySelector('.study')?.textContent).toMatch(/VP\s*no volume/)
})

it('says of a VWAP what was lost, and nothing of sides, on which only delta depends', () => {
  const sides = sidesLabel({
    meter: { join: { by: 'event', ms: 0 }, explained: 0.2, trades: 400 },
    coverage: { trades: 1_000, unknown: 20, unquoted: 5, gaps: 1, breaks: 2 },
  })
  const one = (kind: 'session-vwap' | 'delta') => ({ ...addStudy([], kind)[0], id: kind })
  const study = (id: string, top: number | null) => ({ id, values: [1], colours: [], dashes: [], top, problem: null })
  const textOf = (kinds: readonly ('session-vwap' | 'delta')[]) =>
    render(ChartLegend, {
      ...PROPS,
      sides,
      legend: { ...legend, studies: [study('session-vwap', null), study('delta', 0)] },
      indicators: kinds.map(one),
    }).container.textContent
  const alone = textOf(['session-vwap'])
  expect(alone).toContain('1 gap, 2 breaks')
  expect(alone).not.toContain('sides')
  expect(textOf(['session-vwap', 'delta'])).toMatch(
    /VWAP trades(?!.*2 breaks.*Delta).*Delta.*sides 20\.0 % explained, 1 gap/s,
  )
})

it('says that a formula has an error, also while the chart shows the formula before the last edit', () => {
  const [one] = addStudy([], 'formula')
  const noteOf = (formula: { name: string; text: string; draft?: string }) => {
    const { container } = render(ChartLegend, {
      ...PROPS,
      legend: { ...legend, studies: [{ id: one.id, values: [], colours: [], dashes: [], top: 0, problem: null }] },
      indicators: [{ ...one, formula }],
    })
    const note = container.querySelector('.study .warn')
    return note && [note.textContent, note.getAttribute('title')]
  }
  expect(noteOf({ name: '', text: 'close' })).toBeNull()
  expect(noteOf({ name: '', text: 'close', draft: 'close +' })).toEqual([
    'edit has an error',
    expect.stringMatching(/^Line 1, column \d+: .* The chart shows the formula before this edit\.$/),
  ])
  expect(noteOf({ name: '', text: 'nothing(close)' })).toEqual([
    'error in the formula',
    expect.stringMatching(/^Line 1, column 1: /),
  ])
})

describe('indicators over the prices', () => {
  const KINDS = ['sma', 'ema', 'supertrend'] as const
  let height: PropertyDescriptor | undefined
  /** The plot is 300 px high, and the indicators take this. */
  function open(studiesPx: number) {
    height = Object.getOwnPropertyDescriptor(Element.prototype, 'clientHeight')
    Object.defineProperty(Element.prototype, 'clientHeight', {
      configurable: true,
      get(this: Element) {
        return this.classList.contains('studies') ? studiesPx : 300
      },
    })
    vi.stubGlobal(
      'ResizeObserver',
      class {
        readonly #changed: () => void
        constructor(changed: () => void) {
          this.#changed = changed
        }
        observe() {
          this.#changed()
        }
        unobserve() {}
        disconnect() {}
      },
    )
    const indicators = KINDS.map((kind) => ({ ...addStudy([], kind)[0], id: kind }))
    const studies = KINDS.map((id) => ({ id, values: [1], colours: [], dashes: [], top: null, problem: null }))
    return render(ChartLegend, { ...PROPS, legend: { ...legend, studies }, indicators }).container
  }
  afterEach(() => {
    vi.unstubAllGlobals()
    if (height) Object.defineProperty(Element.prototype, 'clientHeight', height)
  })

  it('are only counted if they would cover more than a third of them, until the user wants them all', async () => {
    const container = open(101)
    await tick()
    const count = [...container.querySelectorAll('button')].find((one) => one.textContent === '3 indicators')
    expect(container.querySelector('.studies')?.classList.contains('collapsed')).toBe(true)
    if (count) await fireEvent.click(count)
    expect(container.querySelector('.studies')?.classList.contains('collapsed')).toBe(false)
    expect(container.textContent).not.toContain('3 indicators')
  })

  it('are listed if they cover less', async () => {
    const container = open(99)
    await tick()
    expect(container.querySelector('.studies')?.classList.contains('collapsed')).toBe(false)
    expect(container.textContent).not.toContain('3 indicators')
  })
})
