import '../browser-stubs.ts'
import { cleanup, render } from '@testing-library/svelte'
import { afterEach, expect, it } from 'vitest'
import FigureChart from '../../../../src/renderer/ui/figure/FigureChart.svelte'

afterEach(cleanup)

it('draws no value whose range isn’t a number', () => {
  const { container } = render(FigureChart, {
    label: 'Example',
    labels: ['A', 'B', 'C', 'D'],
    series: [
      { title: 'Estimate', values: [1e308, -1e308, 2, NaN], as: 'bars', colour: '--dim' },
      { title: 'Actual', values: [1, Infinity, 3, 4], as: 'line', colour: '--warn' },
    ],
    textOf: String,
    tickText: String,
  })
  expect(container.innerHTML).not.toContain('="NaN')
  expect(container.querySelectorAll('svg rect')).toHaveLength(1)
})

it('ends labels at the edges of its picture, however wide their text is', () => {
  const labels = Array.from({ length: 40 }, (_, i) => `30 Nov 2026 02:${10 + i}`)
  const values = labels.map((_, i) => i)
  const { container } = render(FigureChart, {
    label: 'Example',
    labels,
    series: [{ title: 'Service', values, as: 'line', colour: '--warn' }],
    textOf: String,
    tickText: String,
  })
  const width = Number(container.querySelector('svg')?.getAttribute('width'))
  const last = [...container.querySelectorAll('text')].find(({ textContent }) => textContent === labels.at(-1))
  expect(last?.getAttribute('text-anchor')).toBe('end')
  expect(Number(last?.getAttribute('x'))).toBeLessThanOrEqual(width - 4)
})
