import { expect, it } from 'vitest'
import { paintFigure, type DrawingPalette } from '../../../../../src/renderer/charts/drawings/paint.ts'
import { figureOf } from '../../../../../src/shared/features/drawings/editor/figure.ts'
import type { Drawing } from '../../../../../src/shared/features/drawings/types.ts'
import { flat } from '../../../shared/features/drawings/flat-chart.ts'
import { at, drawing } from '../../../shared/features/drawings/samples.ts'
import { recordingContext, type Painted } from '../recording-canvas.ts'

const PALETTE: DrawingPalette = {
  colors: {
    accent: 'own',
    green: 'own',
    red: 'own',
    orange: 'own',
    yellow: 'own',
    violet: 'own',
    text: 'own',
    dim: 'own',
  },
  up: 'up',
  down: 'down',
  pane: 'pane',
  raised: 'raised',
  line: 'line',
  text: 'text',
  accent: 'accent',
  textScale: 1,
}
function paint(one: Drawing): readonly Painted[] {
  const all: Painted[] = []
  const figure = figureOf(one, flat)
  if (figure === null) throw new Error('nothing to paint')
  const context = recordingContext((painted) => all.push(painted))
  paintFigure(context, figure, one, PALETTE, { selected: false, hovered: false, handle: null, locked: false })
  return all
}
const middle = ({ path }: Painted): number => path.reduce((sum, [, y]) => sum + y, 0) / path.length
/** Colors of the translucent grounds, from the top of the chart to its foot. */
const grounds = (list: readonly Painted[]): readonly string[] =>
  list
    .filter(({ op, alpha }) => op === 'fill' && alpha < 0.5)
    .toSorted((a, b) => middle(a) - middle(b))
    .map(({ color }) => color)
/** Color of the box of a label whose text holds this. */
function boxOf(list: readonly Painted[], text: string): string {
  const told = list.findIndex((one) => one.op === 'fillText' && one.text.includes(text))
  return list.slice(0, told).findLast(({ op }) => op === 'fill')?.color ?? ''
}

it.each([
  ['long', 500, 600, 450, ['up', 'down']],
  ['short', 500, 400, 550, ['down', 'up']],
] as const)(
  '%s: profit has the color of up and loss that of down, ground, line and label',
  (kind, entry, target, stop, tops) => {
    const list = paint(drawing(kind, [at(100_000, entry), at(400_000, target), at(400_000, stop)]))
    expect(grounds(list)).toEqual(tops)
    const lineAt = (price: number) =>
      list.filter(({ op, path }) => op === 'stroke' && path.every(([, y]) => Math.abs(y - (1_000 - price)) < 1))
    expect(lineAt(target).map(({ color }) => color)).toEqual(['up'])
    expect(lineAt(stop).map(({ color }) => color)).toEqual(['down'])
    expect(lineAt(entry).map(({ color }) => color)).toEqual(['own'])
    expect([boxOf(list, `${target}.00`), boxOf(list, `${stop}.00`), boxOf(list, `${entry}.00`)]).toEqual([
      'up',
      'down',
      'raised',
    ])
  },
)

it.each([
  ['rise', 500, 600, 'up'],
  ['fall', 600, 500, 'down'],
  ['level', 500, 500, 'up'],
] as const)('measure: a %s is painted in its color throughout', (_, from, to, color) => {
  const list = paint(drawing('measure', [at(100_000, from), at(400_000, to)]))
  expect(grounds(list)).toEqual([color])
  const lines = list.filter(({ op }) => op === 'stroke')
  expect(lines).toHaveLength(2)
  expect(new Set(lines.map((one) => one.color))).toEqual(new Set([color]))
  const heads = list.filter(({ op, path, alpha }) => op === 'fill' && path.length === 3 && alpha === 1)
  expect(heads.length).toBeGreaterThan(0)
  expect(new Set(heads.map((one) => one.color))).toEqual(new Set([color]))
  expect(boxOf(list, '%')).toBe(color)
})

it('measure drawn backwards in time tells the change from its first point to its second', () => {
  expect(grounds(paint(drawing('measure', [at(400_000, 600), at(100_000, 500)])))).toEqual(['down'])
})
