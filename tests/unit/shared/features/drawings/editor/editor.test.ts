import { describe, expect, it } from 'vitest'
import { hit } from '../../../../../../src/shared/features/drawings/editor/hit.ts'
import { draftOf } from '../../../../../../src/shared/features/drawings/editor/placing.ts'
import {
  AT_REST,
  type EditorEvent,
  type EditorKey,
  type EditorState,
  type Outcome,
  type Surroundings,
} from '../../../../../../src/shared/features/drawings/editor/state.ts'
import { edited } from '../../../../../../src/shared/features/drawings/editor/editor.ts'
import { pointsToPlace } from '../../../../../../src/shared/features/drawings/editor/shape.ts'
import { DRAWING_KINDS, type Drawing, type DrawingKind } from '../../../../../../src/shared/features/drawings/types.ts'
import { around } from '../flat-chart.ts'
import { at, drawing, NO_MODS } from '../samples.ts'

const px = (x: number, y: number) => ({ x, y })
const tool = (kind: DrawingKind | null): EditorEvent => ({ is: 'tool', tool: kind })
const down = (x: number, y: number, mods = NO_MODS): EditorEvent => ({ is: 'down', at: px(x, y), mods, touch: false })
const move = (x: number, y: number, mods = NO_MODS): EditorEvent => ({ is: 'move', at: px(x, y), mods })
const up = (x: number, y: number, mods = NO_MODS): EditorEvent => ({ is: 'up', at: px(x, y), mods })
const click = (x: number, y: number): EditorEvent[] => [move(x, y), down(x, y), up(x, y)]
const key = (pressed: EditorKey, mods = NO_MODS): EditorEvent => ({ is: 'key', key: pressed, mods })
const SHIFT = { shift: true, ctrl: false }
const CTRL = { shift: false, ctrl: true }

/** Runs events; drawings follow the edits. */
function run(
  events: readonly EditorEvent[],
  start: readonly Drawing[] = [],
  more: Partial<Surroundings> = {},
  from: EditorState = AT_REST,
): { state: EditorState; drawings: readonly Drawing[]; outcomes: readonly Outcome[] } {
  let state = from
  let drawings = start
  const outcomes: Outcome[] = []
  for (const event of events) {
    const outcome = edited(state, event, around(drawings, more))
    state = outcome.state
    drawings = outcome.edit?.drawings ?? drawings
    outcomes.push(outcome)
  }
  return { state, drawings, outcomes }
}
const points = (list: readonly Drawing[]) => list.at(-1)?.points.map(({ ms, price }) => [ms / 1_000, price])

describe('drawing by clicks', () => {
  const cases: [DrawingKind, [number, number][], [number, number][]][] = [
    ['trend', [[100, 900], [300, 700]], [[100, 100], [300, 300]]],
    ['ray', [[100, 900], [300, 700]], [[100, 100], [300, 300]]],
    ['extended', [[100, 900], [300, 700]], [[100, 100], [300, 300]]],
    ['horizontal', [[100, 900]], [[100, 100]]],
    ['vertical', [[100, 900]], [[100, 100]]],
    ['channel', [[100, 900], [300, 700], [200, 750]], [[100, 100], [300, 300], [200, 250]]],
    ['rectangle', [[100, 900], [300, 700]], [[100, 100], [300, 300]]],
    ['fib', [[100, 900], [300, 700]], [[100, 100], [300, 300]]],
    ['fib-extension', [[100, 900], [300, 700], [400, 800]], [[100, 100], [300, 300], [400, 200]]],
    ['regression', [[100, 900], [300, 700]], [[100, 100], [300, 300]]],
    ['pitchfork', [[100, 900], [300, 700], [400, 950]], [[100, 100], [300, 300], [400, 50]]],
    ['text', [[100, 900]], [[100, 100]]],
    ['note', [[100, 900], [300, 700]], [[100, 100], [300, 300]]],
    ['arrow', [[100, 900], [300, 700]], [[100, 100], [300, 300]]],
    // The stop follows, half as far from the entry as the target.
    ['long', [[100, 900], [300, 700]], [[100, 100], [300, 300], [300, 0]]],
    ['long', [[100, 900], [300, 950]], [[100, 100], [300, 200], [300, 50]]],
    ['short', [[100, 500], [300, 700]], [[100, 500], [300, 300], [300, 600]]],
    ['short', [[100, 500], [300, 450]], [[100, 500], [300, 400], [300, 550]]],
    ['measure', [[100, 900], [300, 700]], [[100, 100], [300, 300]]],
  ] // oxfmt-ignore
  it.each(cases)('%s', (kind, clicks, expected) => {
    const before = drawing('horizontal', [at(0, 5)], { id: 'old' })
    const { state, drawings, outcomes } = run([tool(kind), ...clicks.flatMap(([x, y]) => click(x, y))], [before])
    expect(points(drawings)).toEqual(expected)
    expect(drawings[0]).toBe(before)
    expect(drawings[1]).toMatchObject({ id: 'new', kind, asOfMs: 77, locked: false, hidden: false })
    expect(state).toMatchObject({ tool: null, selected: 'new', mode: { is: 'idle' } })
    expect(outcomes.filter(({ edit }) => edit)).toHaveLength(1)
    // A text is written as soon as it stands.
    expect(outcomes.some(({ write }) => write === 'new')).toBe(kind === 'text' || kind === 'note')
  })
  it('has a case for every kind but the brush', () => {
    expect(new Set([...cases.map(([kind]) => kind), 'brush'])).toEqual(new Set(DRAWING_KINDS))
  })
  it('goes by pressing, drawing and letting go as well', () => {
    const { drawings } = run([tool('trend'), down(100, 900), move(200, 800), move(300, 700), up(300, 700)])
    expect(points(drawings)).toEqual([[100, 100], [300, 300]]) // oxfmt-ignore
  })
  it('takes a double click for one point', () => {
    const { state, drawings } = run([tool('trend'), ...click(100, 900), ...click(100, 900)])
    expect(drawings).toEqual([])
    expect(state.mode).toMatchObject({ is: 'placing', points: [at(100_000, 100)] })
  })
  it('shows what it would be while the pointer moves', () => {
    const { state } = run([tool('long'), ...click(100, 500), move(300, 400)])
    expect(draftOf(state, around())?.points).toEqual([at(100_000, 500), at(300_000, 600), at(300_000, 450)])
  })
  it('goes to prices of bars with the magnet, and with Ctrl without it', () => {
    const twice = [tool('trend'), down(101, 897), up(101, 897)]
    const placed = (mods: typeof NO_MODS, magnet: boolean) =>
      points(
        run([...twice.slice(0, 1), down(101, 897, mods), up(101, 897, mods), ...click(400, 410)], [], { magnet })
          .drawings,
      )
    expect(placed(NO_MODS, true)?.[0]).toEqual([100, 100])
    expect(placed(NO_MODS, false)?.[0]).toEqual([101, 103])
    expect(placed(CTRL, false)?.[0]).toEqual([100, 100])
    expect(placed(CTRL, true)?.[0]).toEqual([101, 103])
  })
  it('is level, upright or at 45° with Shift', () => {
    const end = (x: number, y: number) =>
      points(run([tool('trend'), ...click(100, 900), down(x, y, SHIFT), up(x, y, SHIFT)]).drawings)?.[1]
    expect(end(300, 890)).toEqual([300, 100])
    expect(end(110, 700)).toEqual([100, 300])
    expect(end(300, 710)).toEqual([295, 295])
  })
  it('ends with Esc, one step at a time', () => {
    const begun = run([tool('channel'), ...click(100, 900), ...click(300, 700)])
    const once = run([key('Escape')], [], {}, begun.state)
    expect(once.state).toMatchObject({ tool: 'channel', mode: { is: 'placing', points: [] } })
    expect(run([key('Escape')], [], {}, once.state).state).toEqual(AT_REST)
  })
})

describe('the brush', () => {
  it('draws while the button is down, leaves out what lies on the way, and stays in the hand', () => {
    const way = Array.from({ length: 51 }, (_, i) => move(100 + i * 4, 500))
    const { state, drawings } = run([tool('brush'), down(100, 500), ...way, move(300, 300), up(300, 300)])
    expect(points(drawings)).toEqual([[100, 500], [300, 500], [300, 700]]) // oxfmt-ignore
    expect(state).toMatchObject({ tool: 'brush', selected: null })
  })
  it('keeps no dot', () => {
    expect(run([tool('brush'), ...click(100, 500)]).drawings).toEqual([])
  })
})

const line = drawing('trend', [at(100_000, 100), at(300_000, 300)], { id: 'line' })
const box = drawing('rectangle', [at(400_000, 400), at(600_000, 600)], { id: 'box' })

describe('selecting and moving', () => {
  it('takes the topmost line first, then the topmost ground, and of the selected one the handles', () => {
    const over = { ...box, id: 'over', points: [at(0, 0), at(1_000_000, 1_000)] }
    const list = around([line, box, over])
    expect(hit(px(200, 801), null, list)?.drawing.id).toBe('line')
    expect(hit(px(500, 500), null, list)?.drawing.id).toBe('over')
    expect(hit(px(300, 700), null, list)?.grip.is).toBe('line')
    expect(hit(px(300, 700), 'line', list)?.grip.is).toBe('handle')
    expect(hit(px(200, 700), null, around([line]))).toBeNull()
    expect(hit(px(200, 800), null, around([{ ...line, hidden: true }]))).toBeNull()
  })
  it('leaves a press beside everything to the chart, and lets go of what was selected', () => {
    const { state, outcomes } = run([down(900, 100)], [line], {}, { ...AT_REST, selected: 'line' })
    expect(outcomes[0].taken).toBe(false)
    expect(state.selected).toBeNull()
  })
  it('moves the whole by its line, once, and says when', () => {
    const { drawings, outcomes } = run([down(200, 800), move(210, 780), move(250, 750), up(250, 750)], [line, box])
    expect(drawings[0]).toEqual({ ...line, points: [at(150_000, 150), at(350_000, 350)], asOfMs: 77 })
    expect(drawings[1]).toBe(box)
    expect(outcomes.filter(({ edit }) => edit)).toHaveLength(1)
  })
  it('keeps a price as it is where it is moved in time alone', () => {
    const lying = { ...line, points: [at(100_000, 100.129), at(300_000, 300.129)] }
    const { drawings } = run([down(200, 800), move(300, 800), up(300, 800)], [lying])
    expect(points(drawings)).toEqual([[200, 100.13], [400, 300.13]]) // oxfmt-ignore
  })
  it('takes a press that does not move for a click', () => {
    const { drawings, state } = run([down(200, 800), move(202, 801), up(202, 801)], [line])
    expect(drawings[0]).toBe(line)
    expect(state.selected).toBe('line')
  })
  it('moves one point by its handle', () => {
    const from: EditorState = { ...AT_REST, selected: 'line' }
    const { drawings } = run([down(300, 700), move(350, 600), up(350, 600)], [line], {}, from)
    expect(points(drawings)).toEqual([[100, 100], [350, 400]]) // oxfmt-ignore
  })
  it('moves a corner of a rectangle that is no point of it', () => {
    const from: EditorState = { ...AT_REST, selected: 'box' }
    const { drawings } = run([down(600, 600), move(700, 700), up(700, 700)], [box], {}, from)
    expect(points(drawings)).toEqual([[400, 300], [700, 600]]) // oxfmt-ignore
  })
  it('keeps target and stop of a position on their sides, and one right edge', () => {
    const long = drawing('long', [at(100_000, 500), at(300_000, 600), at(300_000, 450)], { id: 'long' })
    const from: EditorState = { ...AT_REST, selected: 'long' }
    const target = run([down(300, 400), move(350, 900), up(350, 900)], [long], {}, from).drawings
    expect(points(target)).toEqual([[100, 500], [350, 500], [350, 450]]) // oxfmt-ignore
    const stop = run([down(300, 550), move(250, 600), up(250, 600)], [long], {}, from).drawings
    expect(points(stop)).toEqual([[100, 500], [250, 600], [250, 400]]) // oxfmt-ignore
    const entry = run([down(100, 500), move(150, 100), up(150, 100)], [long], {}, from).drawings
    expect(points(entry)).toEqual([[150, 600], [300, 600], [300, 450]]) // oxfmt-ignore
  })
  it('neither moves nor deletes what is locked', () => {
    const locked = { ...line, locked: true }
    const { drawings, outcomes, state } = run([down(200, 800), move(300, 700), up(300, 700), key('Delete')], [locked])
    expect(drawings[0]).toBe(locked)
    expect(state.selected).toBe('line')
    expect(outcomes.at(-1)?.say).toBe('Trend line is locked.')
  })
  it('gives a gesture up with Esc', () => {
    const { drawings, state } = run([down(200, 800), move(300, 700), key('Escape'), up(300, 700)], [line])
    expect(drawings[0]).toBe(line)
    expect(state.mode.is).toBe('idle')
  })
  it('asks for the text with a double click', () => {
    const { outcomes } = run(
      [
        { is: 'double', at: px(200, 800) },
        { is: 'double', at: px(900, 100) },
      ],
      [line],
    )
    expect(outcomes.map(({ taken, write }) => [taken, write])).toEqual([[true, 'line'], [false, undefined]]) // oxfmt-ignore
  })
})

describe('drawing by keys', () => {
  it.each(DRAWING_KINDS)('%s', (kind) => {
    const more = Math.max(1, pointsToPlace(kind) - 1)
    const next = [key('ArrowRight', SHIFT), key('ArrowUp', SHIFT), key('Enter')]
    const keys = pointsToPlace(kind) === 1 ? [] : Array.from({ length: more }, () => next).flat()
    const { drawings, state, outcomes } = run([tool(kind), key('Enter'), ...keys])
    expect(drawings).toHaveLength(1)
    expect(drawings[0]).toMatchObject({ id: 'new', kind })
    expect(drawings[0].points[0]).toEqual(at(500_000, 500))
    expect(drawings[0].points.slice(1).every(({ ms }) => ms > 500_000)).toBe(true)
    expect(state.mode.is).not.toBe('pressed')
    expect(outcomes.every(({ taken }) => taken)).toBe(true)
  })
  it('begins in the middle, goes on from the point before, and snaps with the magnet', () => {
    const keys = [
      key('ArrowUp'),
      key('ArrowUp'),
      key('Enter'),
      key('ArrowRight'),
      key('ArrowDown', SHIFT),
      key('Enter'),
    ]
    expect(points(run([tool('trend'), ...keys]).drawings)).toEqual([[500, 501], [510, 491]]) // oxfmt-ignore
    const snapped = run([tool('trend'), ...keys], [], { magnet: true }).drawings
    expect(points(snapped)?.[0]).toEqual([500, 500])
  })
  it('moves the selected one by bars and steps, as one change to take back', () => {
    const keys = [key('ArrowRight'), key('ArrowRight'), key('ArrowUp', SHIFT)]
    const { drawings, outcomes } = run(keys, [line], {}, { ...AT_REST, selected: 'line' })
    expect(points(drawings)).toEqual([[120, 110], [320, 310]]) // oxfmt-ignore
    expect(new Set(outcomes.map(({ edit }) => edit?.merge)).size).toBe(1)
  })
  it('changes its points: Enter, Tab to the next, arrows, Esc', () => {
    const keys = [key('Enter'), key('Tab'), key('ArrowUp'), key('Escape')]
    const { drawings, state, outcomes } = run(keys, [line], {}, { ...AT_REST, selected: 'line' })
    expect(points(drawings)).toEqual([[100, 100], [300, 301]]) // oxfmt-ignore
    expect(outcomes[1].say).toBe('Point 2 of 2 at 300.00.')
    expect(state).toMatchObject({ mode: { is: 'idle' }, selected: 'line' })
  })
  it('goes around the drawings that are seen, and leaves them with Esc', () => {
    const list = [line, { ...box, id: 'gone', hidden: true }, { ...box, text: 'supply' }]
    const first: EditorState = { ...AT_REST, selected: 'line' }
    const { state, outcomes } = run([key('Tab')], list, {}, first)
    expect(state.selected).toBe('box')
    expect(outcomes[0].say).toBe('Rectangle “supply”, 2 of 2, at 400.00.')
    expect(run([key('Tab')], list, {}, state).state.selected).toBe('line')
    expect(run([key('Tab', SHIFT)], list, {}, first).state.selected).toBe('box')
    expect(run([key('Escape')], list, {}, first).state.selected).toBeNull()
  })
  it('leaves keys to the chart while nothing is selected and no tool is chosen', () => {
    for (const pressed of ['ArrowLeft', 'Enter', 'Tab', 'Escape', 'Delete'] as const)
      expect(run([key(pressed)], [line]).outcomes[0].taken).toBe(false)
  })
  it('deletes', () => {
    const { drawings, state } = run([key('Delete')], [line, box], {}, { ...AT_REST, selected: 'line' })
    expect(drawings).toEqual([box])
    expect(state.selected).toBeNull()
  })
})
