import { describe, expect, it } from 'vitest'
import { TEAM_LIMITS_MS } from '../../../../../../src/shared/features/team/limits.ts'
import { LOOK_MS, RecorderWatch } from '../../../../../../src/main/features/team/follow/recorder-watch.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { numberedId } from './world.ts'

const [A, B] = [numberedId(1), numberedId(2)]
const wall = (elapsedMs: number) => unixMs(1_700_000_000_000 + elapsedMs)

/** Looks every 5 s, hearing of A as `isHeard` says. */
function run(watch: RecorderWatch, fromMs: number, toMs: number, isHeard: (ms: number) => boolean, open = [A]): void {
  for (let ms = fromMs; ms <= toMs; ms += LOOK_MS) {
    if (isHeard(ms)) watch.hear(A, ms, wall(ms))
    watch.look(open, ms)
  }
}
const isGone = (watch: RecorderWatch): boolean => watch.gone().has(A)

describe('the recorders that a terminal hears of', () => {
  it('are gone 15 s after the last report, since that report, and back with the next', () => {
    const watch = new RecorderWatch()
    run(watch, 0, 60_000, () => true)
    run(watch, 65_000, 70_000, () => false)
    expect(isGone(watch)).toBe(false)
    expect(watch.look([A], 75_000)).toBe(true)
    expect(watch.gone().get(A)).toEqual({ sinceMs: wall(60_000) })
    expect(watch.look([A], 80_000)).toBe(false)
    expect(watch.hear(A, 81_000, wall(81_000))).toBe(true)
    expect(isGone(watch)).toBe(false)
    expect(watch.hear(A, 82_000, wall(82_000))).toBe(false)
  })

  it('are gone if a terminal that joins later never hears of them', () => {
    const watch = new RecorderWatch()
    run(watch, 0, TEAM_LIMITS_MS.gone, () => false)
    expect(watch.gone().get(A)).toEqual({ sinceMs: null })
  })

  it('get their time again when nothing could be heard, unless they were gone before', () => {
    const watch = new RecorderWatch()
    run(watch, 0, 20_000, () => true, [A, B])
    expect([...watch.gone().keys()]).toEqual([B])
    watch.restart(500_000)
    run(watch, 500_000, 510_000, () => false, [A, B])
    expect([...watch.gone().keys()]).toEqual([B])
    watch.look([A, B], 515_000)
    expect([...watch.gone().keys()]).toEqual([B, A])
  })

  it('get their time again after this process was stopped or the machine slept', () => {
    const watch = new RecorderWatch()
    run(watch, 0, 20_000, () => true)
    watch.look([A], 9_000_000)
    expect(isGone(watch)).toBe(false)
    run(watch, 9_005_000, 9_015_000, () => false)
    expect(isGone(watch)).toBe(true)
  })

  it('aren’t watched once their session has ended', () => {
    const watch = new RecorderWatch()
    run(watch, 0, TEAM_LIMITS_MS.gone, () => false)
    expect(watch.look([], TEAM_LIMITS_MS.gone + 1)).toBe(true)
    expect(watch.gone().size).toBe(0)
    expect(watch.look([A], TEAM_LIMITS_MS.gone + 2)).toBe(false)
  })
})
