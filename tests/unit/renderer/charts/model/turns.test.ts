import { describe, expect, it } from 'vitest'
import { Turns } from '../../../../../src/renderer/charts/model/turns.ts'

/** Frames that the test steps by hand. */
function frames() {
  let waiting: ((now: number) => void)[] = []
  let now = 0
  const turns = new Turns((run) => waiting.push(run))
  return {
    turns,
    waiting: () => waiting.length,
    step(ms: number) {
      now += ms
      const due = waiting
      waiting = []
      for (const run of due) run(now)
    },
  }
}

describe('turns of charts', () => {
  it('paints at once, and then once a frame', () => {
    const { turns, step } = frames()
    let runs = 0
    const turn = turns.register(() => runs++)
    turn.ask()
    expect(runs).toBe(1)
    turn.ask()
    turn.ask()
    expect(runs).toBe(1)
    step(16)
    expect(runs).toBe(2)
    turn.ask()
    expect(runs).toBe(2)
    step(16)
    expect(runs).toBe(3)
  })

  it('goes on painting the others where one throws', () => {
    const { turns, step } = frames()
    let runs = 0
    let throws = false
    const bad = turns.register(() => {
      if (throws) throw new Error('a chart that fails')
    })
    const good = turns.register(() => runs++)
    for (const turn of [bad, good, bad, good]) turn.ask()
    throws = true
    expect(() => step(16)).toThrow('a chart that fails')
    step(16)
    expect(runs).toBe(2)
    good.ask()
    step(16)
    expect(runs).toBe(3)
  })

  it('stops requesting frames when no chart needs one, and resumes when one does', () => {
    const { turns, step, waiting } = frames()
    let runs = 0
    const turn = turns.register(() => runs++)
    turn.ask()
    for (let i = 0; i < 100; i++) step(16)
    expect(waiting()).toBe(0)
    turn.ask()
    expect(runs).toBe(2)
    expect(waiting()).toBe(1)
  })

  it.each([
    { charts: 9, frame: 30, least: 10 },
    { charts: 9, frame: 45, least: 10 },
    { charts: 1, frame: 30, least: 10 },
  ])('lets $charts charts rest in turn while frames take $frame ms, but paints each $least times a second', (of) => {
    const { turns, step } = frames()
    const runs = Array.from({ length: of.charts }, () => 0)
    let inFrame = 0
    const all = runs.map((_, i) =>
      turns.register(() => {
        runs[i]++
        inFrame++
      }),
    )
    let most = 0
    for (let at = 0; at < 10_000; at += of.frame) {
      for (const turn of all) turn.ask()
      inFrame = 0
      step(of.frame)
      if (at > 5_000) most = Math.max(most, inFrame)
    }
    expect(turns.gap).toBeGreaterThan(1)
    expect(most).toBeLessThan(of.charts === 1 ? 2 : of.charts)
    for (const count of runs) expect(count).toBeGreaterThanOrEqual(of.least * 10 * 0.98)
    // Quick frames again: every chart within three.
    for (let i = 0; i < 200; i++) {
      for (const turn of all) turn.ask()
      step(16)
    }
    expect(turns.gap).toBe(1)
  })

  it.each([1, 3, 9, 16])('spreads %s charts that are all asked for at once over three frames, in turn', (charts) => {
    const { turns, step } = frames()
    const ran: number[] = []
    const all = Array.from({ length: charts }, (_, i) => turns.register(() => ran.push(i)))
    for (const turn of all) turn.ask()
    const most = Math.max(3, Math.ceil(charts / 3))
    expect(ran).toHaveLength(Math.min(charts, most))
    step(16)
    expect(ran.length).toBeLessThanOrEqual(2 * most)
    step(16)
    expect(ran.toSorted((a, b) => a - b)).toEqual(all.map((_, i) => i))
    step(16)
    expect(ran).toHaveLength(charts)
  })

  it('never runs a chart that has gone', () => {
    const { turns, step } = frames()
    let runs = 0
    const turn = turns.register(() => runs++)
    turn.ask()
    turn.ask()
    turn.stop()
    step(16)
    expect(runs).toBe(1)
  })
})
