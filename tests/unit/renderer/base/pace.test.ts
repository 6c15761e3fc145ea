import { describe, expect, it } from 'vitest'
import { Pace } from '../../../../src/renderer/base/pace.ts'

/** A pace whose frames the test steps by hand, each of which costs so many ms. */
function frames(costMs: number) {
  let waiting: ((now: number) => void)[] = []
  let after: (() => void)[] = []
  let [now, clock] = [0, 0]
  const failures: unknown[] = []
  const of = { costMs }
  const pace = new Pace({
    request: (run) => void waiting.push(run),
    painted: (run) => void after.push(run),
    now: () => clock,
    failed: (thrown) => failures.push(thrown),
  })
  const step = (ms = 1_000 / 60): void => {
    now += ms
    const due = waiting
    waiting = []
    for (const run of due) run(now)
    clock += of.costMs
    const done = after
    after = []
    for (const run of done) run()
  }
  return { pace, of, step, failures, waiting: () => waiting.length }
}

/** Frames of the next `count` in which data is shown, which is asked for all the time. */
function dataFrames({ pace, step }: ReturnType<typeof frames>, count: number, frameMs?: number): number[] {
  const shown = new Set<number>()
  let now = 0
  for (; now < count; now++) {
    pace.data(() => shown.add(now))
    step(frameMs)
  }
  return [...shown]
}

describe('the pace of a window', () => {
  it('shows data in each frame while frames are cheap, and in every second one while they are costly', () => {
    const one = frames(4)
    one.pace.start()
    expect(dataFrames(one, 60)).toHaveLength(60)
    one.of.costMs = 15
    dataFrames(one, 60)
    expect(one.pace.isPaced).toBe(true)
    const paced = dataFrames(one, 60)
    expect(paced).toHaveLength(30)
    expect(paced.every((at, i) => i === 0 || at - paced[i - 1] === 2)).toBe(true)
    one.of.costMs = 4
    dataFrames(one, 60)
    expect(one.pace.isPaced).toBe(false)
    expect(dataFrames(one, 60)).toHaveLength(60)
  })

  it('stays as it is at a cost between the two limits', () => {
    const one = frames(10)
    one.pace.start()
    dataFrames(one, 100)
    expect(one.pace.isPaced).toBe(false)
    one.of.costMs = 15
    dataFrames(one, 100)
    one.of.costMs = 10
    dataFrames(one, 100)
    expect(one.pace.isPaced).toBe(true)
  })

  it('skips no frame where frames are late by themselves', () => {
    const one = frames(28)
    one.pace.start()
    dataFrames(one, 60, 30)
    expect(one.pace.isPaced).toBe(true)
    expect(dataFrames(one, 60, 30)).toHaveLength(60)
  })

  it('does not skip frames before it is started', () => {
    const one = frames(40)
    expect(dataFrames(one, 100)).toHaveLength(100)
  })

  it('asks ahead in the frame between two with data, or with the data if there is none between', () => {
    const one = frames(15)
    one.pace.start()
    dataFrames(one, 60)
    const ran: string[] = []
    const play = (count: number, frameMs: number): string => {
      ran.length = 0
      for (let at = 0; at < count; at++) {
        one.pace.data(() => void ran.push('data'))
        one.pace.ahead(() => void ran.push('ahead'))
        one.step(frameMs)
        ran.push('|')
      }
      return ran
        .join(' ')
        .replaceAll(/(data|ahead)( \1)+/g, '$1')
        .replaceAll(' |', '|')
    }
    play(2, 1_000 / 60)
    expect(play(6, 1_000 / 60)).toMatch(/^(data\| ahead\| ){2}data\| ahead\|$|^(ahead\| data\| ){2}ahead\| data\|$/)
    play(4, 30)
    expect(play(3, 30)).toBe('ahead data| ahead data| ahead data|')
  })

  it('asks ahead at once where no data waits, and requests no frame that nobody needs', () => {
    const one = frames(15)
    one.pace.start()
    dataFrames(one, 60)
    while (one.waiting() > 0) one.step()
    let ran = 0
    one.pace.ahead(() => ran++)
    one.step()
    expect(ran).toBe(1)
    expect(one.waiting()).toBe(0)
  })

  it('runs the rest of a frame in which something fails, and reports it', () => {
    const { pace, step, failures } = frames(1)
    let ran = 0
    pace.data(() => {
      throw new Error('a pane that fails')
    })
    pace.data(() => ran++)
    step()
    expect(ran).toBe(1)
    expect(failures).toEqual([new Error('a pane that fails')])
  })
})
