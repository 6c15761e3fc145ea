/** Drawings at the edges of what is allowed: how far a click may move, how near a line is meant, how much a file holds. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hit } from '../../../../../../src/shared/features/drawings/editor/hit.ts'
import {
  AT_REST,
  type EditorEvent,
  type EditorState,
  type Surface,
  type Surroundings,
} from '../../../../../../src/shared/features/drawings/editor/state.ts'
import { edited } from '../../../../../../src/shared/features/drawings/editor/editor.ts'
import { editOf, tooMany } from '../../../../../../src/shared/features/drawings/edits.ts'
import type { Figure, Pixel } from '../../../../../../src/shared/features/drawings/editor/figure-parts.ts'
import { figureOf } from '../../../../../../src/shared/features/drawings/editor/figure.ts'
import { distance, gripAt } from '../../../../../../src/shared/features/drawings/editor/grip.ts'
import { did, MAX_STEPS, NO_HISTORY, redo, undo } from '../../../../../../src/shared/features/drawings/history.ts'
import {
  isDegenerate,
  simplified,
  straightened,
  withHandle,
} from '../../../../../../src/shared/features/drawings/editor/shape.ts'
import {
  MAX_BRUSH_POINTS,
  MAX_DRAWINGS,
  MAX_POINTS,
  type Drawing,
} from '../../../../../../src/shared/features/drawings/types.ts'
import { around, flat } from '../flat-chart.ts'
import { at, drawing, NO_MODS } from '../samples.ts'

const px = (x: number, y: number): Pixel => ({ x, y })
const down = (x: number, y: number, touch = false): EditorEvent => ({ is: 'down', at: px(x, y), mods: NO_MODS, touch })
const move = (x: number, y: number): EditorEvent => ({ is: 'move', at: px(x, y), mods: NO_MODS })
const up = (x: number, y: number): EditorEvent => ({ is: 'up', at: px(x, y), mods: NO_MODS })
const key = (pressed: Extract<EditorEvent, { is: 'key' }>['key'], shift = false): EditorEvent => ({
  is: 'key',
  key: pressed,
  mods: { shift, ctrl: false },
})
const line = drawing('trend', [at(100_000, 100), at(300_000, 300)], { id: 'line' })
const held: EditorState = { ...AT_REST, selected: 'line' }

function run(
  events: readonly EditorEvent[],
  list: readonly Drawing[],
  from = AT_REST,
  more: Partial<Surroundings> = {},
) {
  let state = from
  let drawings = list
  let edits = 0
  for (const event of events) {
    const outcome = edited(state, event, around(drawings, more))
    state = outcome.state
    if (outcome.edit) edits++
    drawings = outcome.edit?.drawings ?? drawings
  }
  return { state, drawings, edits }
}

describe('a press', () => {
  it('is a click up to 4 px from where it began, and a drag beyond', () => {
    const edits = (dx: number) => run([down(200, 800), move(200 + dx, 800), up(200 + dx, 800)], [line]).edits
    expect([4, 4.01].map(edits)).toEqual([0, 1])
  })
  it('reaches twice as far with a finger', () => {
    const level = drawing('horizontal', [at(0, 200)], { id: 'level' }) // y 800, 1 px wide
    const taken = (y: number, touch: boolean) => run([down(500, y, touch)], [level]).state.selected === 'level'
    expect([806.5, 806.6].map((y) => taken(y, false))).toEqual([true, false])
    expect([812.5, 812.6].map((y) => taken(y, true))).toEqual([true, false])
  })
  it('that is dragged in one direction changes nothing of the other, to the last digit', () => {
    // A pixel here stands for a whole second and a whole unit: what goes through pixels is rounded.
    const rough: Surface = {
      ...flat,
      tidy: (point) => point,
      toPixel: ({ ms, price }) => px(Math.round(ms / 1_000), Math.round(1_000 - price)),
    }
    const fine = { ...line, points: [at(100_123, 100.377), at(300_456, 300.129)] }
    const dragged = (dx: number, dy: number) =>
      run([down(200, 800), move(200 + dx, 800 + dy), up(200 + dx, 800 + dy)], [fine], AT_REST, { surface: rough })
        .drawings[0].points
    const shifted = (ms: number, price: number) => fine.points.map((one) => at(one.ms + ms, one.price + price))
    expect(dragged(50, 0)).toEqual(shifted(50_000, 0))
    expect(dragged(0, 50)).toEqual(shifted(0, -50))
    expect(dragged(50, 1)).toEqual(shifted(50_000, -1))
    expect(dragged(1, 50)).toEqual(shifted(1_000, -50))
  })
})

describe('a stroke', () => {
  const brushing = (count: number, byKeys = false): EditorState => ({
    ...AT_REST,
    tool: 'brush',
    mode: { is: 'brushing', points: Array.from({ length: count }, (_, i) => at(i * 3_000, 500)), byKeys },
  })
  const drawn = (state: EditorState) => (state.mode.is === 'brushing' ? state.mode.points.length : 0)
  it('takes a point each 2 px', () => {
    expect(drawn(run([move(1.99, 500)], [], brushing(1)).state)).toBe(1)
    expect(drawn(run([move(2, 500)], [], brushing(1)).state)).toBe(2)
  })
  it.each([false, true])('takes as many points as a file may hold, by keys: %s', (byKeys) => {
    const next = byKeys ? key('ArrowRight') : move(900, 100)
    expect(drawn(run([next], [], brushing(MAX_BRUSH_POINTS - 1, byKeys)).state)).toBe(MAX_BRUSH_POINTS)
    expect(drawn(run([next], [], brushing(MAX_BRUSH_POINTS, byKeys)).state)).toBe(MAX_BRUSH_POINTS)
  })
  it('leaves out only what lies within the tolerance of the line that stays', () => {
    const place = fc.record({ x: fc.integer({ min: 0, max: 500 }), y: fc.integer({ min: 0, max: 500 }) })
    fc.assert(
      fc.property(
        fc.array(place, { minLength: 2, maxLength: 40 }),
        fc.double({ min: 0.1, max: 60, noNaN: true }),
        (pixels, tolerance) => {
          const kept = simplified(pixels, tolerance)
          for (let span = 1; span < kept.length; span++) {
            const [a, b] = [pixels[kept[span - 1]], pixels[kept[span]]]
            for (const p of pixels.slice(kept[span - 1] + 1, kept[span])) {
              const length = Math.hypot(b.x - a.x, b.y - a.y)
              const cross = Math.abs((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x))
              const away = length === 0 ? Math.hypot(p.x - a.x, p.y - a.y) : cross / length
              expect(away).toBeLessThanOrEqual(tolerance + 1e-9)
            }
          }
        },
      ),
    )
    // Out and back: both ends are one place.
    expect(simplified([px(0, 0), px(9, 0), px(0, 0)], 1)).toEqual([0, 1, 2])
  })
})

describe('what is under a pixel', () => {
  const figure: Figure = {
    strokes: [{ points: [px(100, 100), px(200, 100)], tone: 'own' }],
    grounds: [
      { points: [px(300, 300), px(400, 300), px(400, 400), px(300, 400)], tone: 'own', alpha: 1, solid: true },
      { points: [px(500, 500), px(600, 500), px(600, 600), px(500, 600)], tone: 'own', alpha: 1, solid: false },
    ],
    heads: [],
    labels: [],
    handles: [
      { x: 100, y: 100, msOf: 0, priceOf: 0 },
      { x: 112, y: 100, msOf: 1, priceOf: 1 },
    ],
  }
  const under = (x: number, y: number, handles = false) => gripAt(figure, px(x, y), handles, 2)?.is ?? null
  it.each([
    ['beside the line', 150, 107, 'line'],
    ['beyond its reach', 150, 107.1, null],
    ['before its end', 93, 100, 'line'],
    ['beyond its end', 92.9, 100, null],
    ['on a ground', 350, 350, 'ground'],
    ['beside it', 401, 350, null],
    ['on a ground that is only tinted', 550, 550, null],
  ] as const)('%s', (_, x, y, wanted) => expect(under(x, y)).toBe(wanted))
  it('is the nearest handle within 10 px, where handles are shown', () => {
    const of = (x: number, y: number) => {
      const grip = gripAt(figure, px(x, y), true, 2)
      return grip?.is === 'handle' ? grip.handle.msOf : grip
    }
    expect([of(105, 100), of(107, 100), of(90, 100), of(122, 100)]).toEqual([0, 1, 0, 1])
    expect(under(100, 110, true)).toBe('handle')
    expect(under(100, 110.1, true)).toBeNull()
    expect(under(105, 100, false)).toBe('line')
  })
  it('is measured to the segment, not to the line that it lies on', () => {
    expect([px(0, 3), px(-4, 3), px(13, 4)].map((p) => distance(p, px(0, 0), px(10, 0)))).toEqual([3, 5, 5])
    expect(distance(px(3, 4), px(0, 0), px(0, 0))).toBe(5)
  })
  it('is never what is hidden, and the upper of two lines', () => {
    const upper = { ...line, id: 'upper' }
    expect(hit(px(200, 800), null, around([line, upper]))?.drawing.id).toBe('upper')
    expect(hit(px(200, 800), null, around([line, { ...upper, hidden: true }]))?.drawing.id).toBe('line')
  })
})

describe('points', () => {
  it('make a drawing unless both are one place', () => {
    const made = (ms: number, price: number) => !isDegenerate('trend', [at(1, 2), at(ms, price)])
    expect([made(1, 2), made(1, 3), made(2, 2)]).toEqual([false, true, true])
    expect(isDegenerate('channel', [at(1, 2), at(3, 4)])).toBe(true)
  })
  it('of a position keep the target on the side that gains, whatever is moved where', () => {
    const price = fc.double({ min: 0, max: 100, noNaN: true })
    fc.assert(
      fc.property(fc.constantFrom('long', 'short'), fc.constantFrom(0, 1, 2), price, (kind, priceOf, to) => {
        const sign = kind === 'long' ? 1 : -1
        const before = drawing(kind, [at(0, 50), at(9, 50 + sign * 20), at(9, 50 - sign * 10)])
        const [entry, target, stop] = withHandle(before, { msOf: null, priceOf }, at(0, to)).points
        expect(sign * (target.price - entry.price)).toBeGreaterThanOrEqual(0)
        expect(sign * (entry.price - stop.price)).toBeGreaterThanOrEqual(0)
        // What isn't held stays; what is held goes where it may.
        if (priceOf !== 1) expect(target.price).toBe(50 + sign * 20)
        if (priceOf !== 2) expect(stop.price).toBe(50 - sign * 10)
        const isAllowed = priceOf === 0 ? to >= 30 && to <= 70 : false
        if (isAllowed && sign * (to - 50) >= -10 && sign * (to - 50) <= 20) expect(entry.price).toBe(to)
      }),
    )
  })
  it('are straightened to the nearest eighth of a turn', () => {
    fc.assert(
      fc.property(fc.integer({ min: -500, max: 500 }), fc.integer({ min: -500, max: 500 }), (dx, dy) => {
        const to = straightened(px(10, 20), px(10 + dx, 20 + dy))
        const [x, y] = [to.x - 10, to.y - 20]
        expect(x === 0 || y === 0 || Math.abs(Math.abs(x) - Math.abs(y)) < 1e-9).toBe(true)
        // No eighth is nearer: the line turned by at most a sixteenth.
        const turn = Math.abs(Math.atan2(dy, dx) - Math.atan2(y, x))
        if (dx !== 0 || dy !== 0) expect(Math.min(turn, 2 * Math.PI - turn)).toBeLessThanOrEqual(Math.PI / 8 + 1e-9)
      }),
    )
  })
})

describe('keys', () => {
  it.each([
    ['ArrowLeft', false, -10, 0],
    ['ArrowRight', true, 100, 0],
    ['ArrowUp', true, 0, 10],
    ['ArrowDown', false, 0, -1],
  ] as const)(
    '%s (with Shift: %s) moves the whole drawing, or the point that is chosen',
    (pressed, shift, s, price) => {
      const moved = (from: EditorState) =>
        run([key(pressed, shift)], [line], from).drawings[0].points.map((one, i) => [
          (one.ms - line.points[i].ms) / 1_000,
          one.price - line.points[i].price,
        ])
      expect(moved(held)).toEqual([[s, price], [s, price]]) // oxfmt-ignore
      expect(moved({ ...held, mode: { is: 'points', handle: 1 } })).toEqual([[0, 0], [s, price]]) // oxfmt-ignore
    },
  )
  it('go around the points both ways', () => {
    const channel = drawing('channel', [...line.points, at(200_000, 250)], { id: 'line' })
    const handle = (from: number, shift: boolean) => {
      const { mode } = run([key('Tab', shift)], [channel], { ...held, mode: { is: 'points', handle: from } }).state
      return mode.is === 'points' ? mode.handle : null
    }
    expect([0, 1, 2].map((from) => handle(from, false))).toEqual([1, 2, 0])
    expect([0, 1, 2].map((from) => handle(from, true))).toEqual([2, 0, 1])
  })
  it.each(['Delete', 'Backspace'] as const)('%s deletes', (pressed) => {
    expect(run([key(pressed)], [line], held)).toMatchObject({ drawings: [], state: { selected: null } })
  })
  it.each(['Delete', 'Backspace', 'Enter', 'ArrowUp'] as const)('%s leaves a locked drawing as it is', (pressed) => {
    const locked = { ...line, locked: true }
    const { drawings, edits, state } = run([key(pressed)], [locked], held)
    expect([drawings[0], edits, state]).toEqual([locked, 0, held])
  })
})

describe('a list of drawings', () => {
  it.each<[string, Partial<Drawing>]>([
    ['kind', { kind: 'ray' }],
    ['text', { text: 'x' }],
    ['lock', { locked: true }],
    ['visibility', { hidden: true }],
    ['time of change', { asOfMs: 1 }],
    ['color', { style: { ...line.style, color: 'dim' } }],
    ['width', { style: { ...line.style, width: 4 } }],
    ['dash', { style: { ...line.style, dash: 'dotted' } }],
    ['fill', { style: { ...line.style, fill: 0.5 } }],
    ['time of a point', { points: [line.points[0], at(300_001, 300)] }],
    ['price of a point', { points: [line.points[0], at(300_000, 301)] }],
    ['number of points', { points: [...line.points, at(1, 1)] }],
  ])('changes when the %s does', (_, change) => {
    const next = { ...line, ...change }
    expect(editOf([line], [next])).toEqual({ put: [next], remove: [], order: null })
    expect(editOf([line], [{ ...line }]).put).toEqual([])
  })
  it('holds as many drawings and points as a file may, and no more', () => {
    expect(tooMany(Array<Drawing>(MAX_DRAWINGS).fill(line))).toBeNull()
    expect(tooMany(Array<Drawing>(MAX_DRAWINGS + 1).fill(line))).toContain(String(MAX_DRAWINGS))
    const brush = (count: number) => drawing('brush', Array(count).fill(at(0, 0)))
    expect(tooMany([brush(MAX_POINTS)])).toBeNull()
    expect(tooMany([brush(MAX_POINTS), brush(1)])).not.toBeNull()
  })
})

describe('undo', () => {
  const lists = Array.from({ length: MAX_STEPS + 2 }, (_, i) => [{ ...line, asOfMs: i }])
  it('keeps as many steps as it says, the newest', () => {
    let history = NO_HISTORY
    for (let i = 1; i < lists.length; i++) history = did(history, lists[i - 1], lists[i], String(i))
    expect([history.past.length, history.past[0].what]).toEqual([MAX_STEPS, '2'])
  })
  it('forgets what was taken back once something else is done', () => {
    const one = undo(did(NO_HISTORY, lists[0], lists[1], 'moved'), lists[1])
    expect(one?.history.future).toHaveLength(1)
    const next = did(one?.history ?? NO_HISTORY, lists[0], lists[2], 'moved')
    expect(next.future).toEqual([])
    expect(redo(next, lists[2])).toBeNull()
  })
  it('has no step for a gesture that came back to its start', () => {
    const there = did(NO_HISTORY, lists[0], lists[1], 'moved', 'nudge')
    expect(did(there, lists[1], lists[0], 'moved', 'nudge').past).toEqual([])
    expect(did(there, lists[1], lists[0], 'moved', 'other').past).toHaveLength(2)
  })
})

describe('a measure', () => {
  const heads = (x: number, y: number) =>
    figureOf(drawing('measure', [at(100_000, 900), at(100_000 + x * 1_000, 900 - y)]), flat)
  it('has an arrow where there is room for one: more than 14 px', () => {
    expect([heads(14, 14), heads(15, 14), heads(14, 15), heads(15, 15)].map((one) => one?.heads.length)).toEqual([
      0, 1, 1, 2,
    ])
  })
  it('rises where it ends at the price it began at', () => {
    expect([heads(50, 0), heads(50, 1), heads(50, -1)].map((one) => one?.grounds[0].tone)).toEqual(['up', 'down', 'up'])
  })
})
