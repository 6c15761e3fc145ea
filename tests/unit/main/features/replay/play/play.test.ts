import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  due,
  newPlay,
  play,
  restMs,
  type Play,
  type PlayEvent,
} from '../../../../../../src/main/features/replay/play/play.ts'

const range = { fromMs: 1_000, toMs: 101_000 }
const start = newPlay(range, 0)
const at = (patch: Partial<Play>): Play => ({ ...start, ...patch })
const playing = at({ playing: true })
const loop = { fromMs: 20_000, toMs: 30_000 }
const turned = (patch: Partial<PlayEvent & { readonly is: 'turned' }>): PlayEvent => ({
  is: 'turned',
  dueMs: 5_000,
  timeMs: 4_500,
  nextMs: 5_200,
  left: false,
  ...patch,
})

/** [what, state, event, real time, what changes, where to jump] */
const TRANSITIONS: readonly (readonly [string, Play, PlayEvent, number, Partial<Play>, number | null])[] = [
  ['plays from where it stands', start, { is: 'play', on: true }, 50, { playing: true, sinceMs: 50 }, null],
  ['plays what plays', playing, { is: 'play', on: true }, 50, {}, null],
  ['pauses', playing, { is: 'play', on: false }, 50, { playing: false, sinceMs: 50 }, null],
  [
    'plays from the start again at the end',
    at({ clockMs: 101_000, ended: true }),
    { is: 'play', on: true },
    7,
    { playing: true, ended: false, sinceMs: 7 },
    1_000,
  ],
  [
    'may go on where its range grew',
    at({ clockMs: 101_000, ended: true }),
    { is: 'grown', toMs: 105_000 },
    7,
    { ended: false, range: { fromMs: 1_000, toMs: 105_000 } },
    null,
  ],
  ['keeps a range that does not grow', playing, { is: 'grown', toMs: 90_000 }, 7, {}, null],
  ['begins a loop where it lies before it', at({ loop }), { is: 'play', on: true }, 0, { playing: true }, 20_000],
  [
    'begins a loop anew where it lies after it',
    at({ loop, clockMs: 30_000 }),
    { is: 'play', on: true },
    0,
    { playing: true },
    20_000,
  ],
  ['goes on inside of a loop', at({ loop, clockMs: 25_000 }), { is: 'play', on: true }, 0, { playing: true }, null],
  [
    'changes the speed without moving the clock',
    at({ playing: true, clockMs: 9_000 }),
    { is: 'speed', speed: 10 },
    90,
    { speed: 10, sinceMs: 90 },
    null,
  ],
  [
    'keeps a loop inside of the range',
    start,
    { is: 'options', loop: { fromMs: 0, toMs: 5_000 } },
    0,
    { loop: { fromMs: 1_000, toMs: 5_000 } },
    null,
  ],
  [
    'turns a loop round',
    start,
    { is: 'options', loop: { fromMs: 5_000, toMs: 2_000 } },
    0,
    { loop: { fromMs: 2_000, toMs: 5_000 } },
    null,
  ],
  [
    'takes no loop outside of the range',
    at({ loop }),
    { is: 'options', loop: { fromMs: 200_000, toMs: 300_000 } },
    0,
    { loop: null },
    null,
  ],
  ['jumps into a loop that is set while it plays', playing, { is: 'options', loop }, 0, { loop }, 20_000],
  ['keeps what an option does not name', at({ loop, skipIdle: true }), { is: 'options' }, 0, {}, null],
  [
    'is put somewhere',
    at({ playing: true, ended: true }),
    { is: 'reached', ms: 7_000 },
    3,
    { clockMs: 7_000, sinceMs: 3, ended: false },
    null,
  ],
  ['is put inside of the range', start, { is: 'reached', ms: 1e9 }, 3, { clockMs: 101_000, sinceMs: 3 }, null],
  ['moves the clock to what was due', playing, turned({}), 80, { clockMs: 5_000, sinceMs: 80 }, null],
  [
    'is held back by what is due and not applied',
    playing,
    turned({ left: true }),
    80,
    { clockMs: 4_500, sinceMs: 80 },
    null,
  ],
  [
    'is held back by what is not read',
    playing,
    turned({ nextMs: undefined }),
    80,
    { clockMs: 4_500, sinceMs: 80 },
    null,
  ],
  ['never goes back', at({ playing: true, clockMs: 4_800 }), turned({ left: true }), 80, { sinceMs: 80 }, null],
  ['waits through an idle stretch', playing, turned({ nextMs: 9_000 }), 80, { clockMs: 5_000, sinceMs: 80 }, null],
  [
    'passes an idle stretch at once',
    at({ playing: true, skipIdle: true }),
    turned({ nextMs: 9_000 }),
    80,
    { clockMs: 9_000, sinceMs: 80 },
    null,
  ],
  [
    'does not pass two seconds',
    at({ playing: true, skipIdle: true }),
    turned({ nextMs: 6_500 }),
    80,
    { clockMs: 5_000, sinceMs: 80 },
    null,
  ],
  [
    'passes the rest of the range',
    at({ playing: true, skipIdle: true }),
    turned({ nextMs: null }),
    80,
    { clockMs: 101_000, sinceMs: 80, playing: false, ended: true },
    null,
  ],
  [
    'passes idle only to the end of a loop',
    at({ playing: true, skipIdle: true, loop, clockMs: 25_000 }),
    turned({ dueMs: 26_000, timeMs: 25_500, nextMs: 90_000 }),
    80,
    { clockMs: 30_000, sinceMs: 80 },
    20_000,
  ],
  [
    'ends',
    playing,
    turned({ dueMs: 101_000, timeMs: 100_000, nextMs: null }),
    80,
    { clockMs: 101_000, sinceMs: 80, playing: false, ended: true },
    null,
  ],
  [
    'loops',
    at({ playing: true, loop, clockMs: 29_000 }),
    turned({ dueMs: 30_000, timeMs: 29_900, nextMs: 30_100 }),
    80,
    { clockMs: 30_000, sinceMs: 80 },
    20_000,
  ],
  [
    'does not end before what comes at the very end',
    playing,
    turned({ dueMs: 101_000, timeMs: 100_000, nextMs: 101_000 }),
    80,
    { clockMs: 101_000, sinceMs: 80 },
    null,
  ],
  ['stands while it is paused', start, turned({}), 80, {}, null],
]

describe('the clock of a replay', () => {
  it.each(TRANSITIONS)('%s', (_what, before, event, realMs, changed, jump) => {
    const [after, found] = play(before, event, realMs)
    expect(after).toEqual({ ...before, ...changed })
    expect(found?.toMs ?? null).toBe(jump)
  })

  it('lets time flow at its speed, up to the end of the range or the loop', () => {
    expect(due(start, 5_000)).toBe(1_000)
    expect(due(playing, 5_000)).toBe(6_000)
    expect(due(at({ playing: true, speed: 0.25 }), 4_000)).toBe(2_000)
    expect(due(at({ playing: true, speed: 1_000 }), 4_000)).toBe(101_000)
    expect(due(at({ playing: true, speed: 'max' }), 0)).toBe(101_000)
    expect(due(at({ playing: true, speed: 'max', loop }), 0)).toBe(30_000)
    // A real clock that is read out of order does not take it back.
    expect(due(at({ playing: true, sinceMs: 100 }), 50)).toBe(1_000)
  })

  it('rests until something is due, and never longer than asked', () => {
    expect(restMs(playing, 1_015, 20, 0)).toBe(15)
    expect(restMs(at({ playing: true, speed: 10 }), 1_100, 20, 0)).toBe(10)
    expect(restMs(playing, 9_000, 20, 0)).toBe(20)
    expect(restMs(playing, null, 20, 0)).toBe(20)
    expect(restMs(playing, 500, 20, 0)).toBe(0)
    expect(restMs(playing, 1_015, 20, 5), 'since the clock was read').toBe(10)
  })

  it('never goes back while it plays, and never shows what is not applied', () => {
    const turn = fc.record({ passMs: fc.nat(3_000), applied: fc.nat(100), nextIn: fc.nat(9_000), left: fc.boolean() })
    fc.assert(
      fc.property(fc.array(turn), fc.boolean(), fc.constantFrom(0.25, 1, 1_000), (turns, skipIdle, speed) => {
        let state: Play = { ...playing, skipIdle, speed }
        let realMs = 0
        let timeMs = range.fromMs
        for (const { passMs, applied, nextIn, left } of turns) {
          realMs += passMs
          const dueMs = due(state, realMs)
          timeMs = Math.max(timeMs, timeMs + ((dueMs - timeMs) * applied) / 100)
          const nextMs = left ? timeMs + nextIn / 100 : dueMs + 1 + nextIn
          const before = state.clockMs
          ;[state] = play(state, { is: 'turned', dueMs, timeMs, nextMs, left }, realMs)
          expect(state.clockMs).toBeGreaterThanOrEqual(before)
          if (!left) expect(state.clockMs).toBeLessThanOrEqual(Math.max(nextMs, before))
        }
      }),
    )
  })
})
