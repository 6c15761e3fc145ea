import '../browser-stubs.ts'
import { cleanup, render } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import { Zone } from '../../../../src/renderer/text/zone.ts'
import ChartLegend from '../../../../src/renderer/features/chart/ChartLegend.svelte'

afterEach(cleanup)

it.each([
  ['service', '15s', 'Service bars (crypto/XAS) · 15s'],
  ['service', '1m', 'Service bars (crypto/XA) · 1m'],
  ['trade', '1m', 'Trades · 1m'],
] as const)('names what bars of %s at %s are built from', (of, interval, text) => {
  const numbers = new Intl.NumberFormat('en-US')
  const { container } = render(ChartLegend, {
    legend: {
      bar: null,
      previousClose: null,
      fromCrosshair: true,
      rests: false,
      gap: null,
      atMs: null,
      markers: [],
      studies: [],
      compared: [],
    },
    ticks: false,
    stepMs: 60_000,
    bars: interval,
    spread: null,
    isRenko: false,
    interval,
    builtFrom: [of],
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
  })
  expect(container.textContent).toContain(text)
})
