import { describe, expect, it } from 'vitest'
import { Turns } from '../../../../src/renderer/charts/model/turns.ts'
import { FrameRate } from '../../../../src/renderer/base/frame-rate.ts'

/** A frame rate whose frames the test steps by hand, each of which costs so many ms. */
function frames(costMs: number) {
  let waiting: ((now: number) => void)[] = []
  let after: (() => void)[] = []
  let [now, clock] = [0, 0]
  const failures: unknown[] = []
  const of = { costMs }
  const rate = new FrameRate({
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
  return { rate, of, step, failures, waiting: () => waiting.length }
}

/** Frames of the next `count` in which data is shown, which is asked for all the time. */
function dataFrames({ rate, step }: ReturnType<typeof frames>, count: number, frameMs?: number): number[] {
  const shown = new Set<number>()
  let now = 0
  for (; now < count; now++) {
    rate.data(() => shown.add(now))
    step(frameMs)
  }
  return [...shown]
}

describe('the frame rate of a window', () => {
  it('shows data in each frame while frames are cheap, and in every second one while they are costly', () => {
    const one = frames(4)
    one.rate.start()
    expect(dataFrames(one, 60)).toHaveLength(60)
    one.of.costMs = 15
    dataFrames(one, 60)
    expect(one.rate.isReduced).toBe(true)
    const paced = dataFrames(one, 60)
    expect(paced).toHaveLength(30)
    expect(paced.every((at, i) => i === 0 || at - paced[i - 1] === 2)).toBe(true)
    one.of.costMs = 4
    dataFrames(one, 60)
    expect(one.rate.isReduced).toBe(false)
    expect(dataFrames(one, 60)).toHaveLength(60)
  })

  it('stays as it is at a cost between the two limits', () => {
    const one = frames(10)
    one.rate.start()
    dataFrames(one, 100)
    expect(one.rate.isReduced).toBe(false)
    one.of.costMs = 15
    dataFrames(one, 100)
    one.of.costMs = 10
    dataFrames(one, 100)
    expect(one.rate.isReduced).toBe(true)
  })

  it('skips no frame where frames are late by themselves', () => {
    const one = frames(28)
    one.rate.start()
    dataFrames(one, 60, 30)
    expect(one.rate.isReduced).toBe(true)
    expect(dataFrames(one, 60, 30)).toHaveLength(60)
  })

  it('doesn’t change for one long task', () => {
    const one = frames(2)
    one.rate.start()
    dataFrames(one, 30)
    one.of.costMs = 400
    dataFrames(one, 1)
    one.of.costMs = 2
    dataFrames(one, 60)
    expect(one.rate.isReduced).toBe(false)
  })

  it('lets charts that share its reduced rate repaint in each frame with data', () => {
    const one = frames(14)
    one.rate.start()
    const turns = new Turns(one.rate.ahead, () => one.rate.restMs)
    const runs = [0, 0, 0]
    const all = runs.map((_, i) => turns.register(() => runs[i]++))
    const second = (): void => {
      for (let at = 0; at < 60; at++) {
        one.rate.data(() => {
          for (const turn of all) turn.ask()
        })
        one.step()
      }
    }
    for (let at = 0; at < 4; at++) second()
    expect([one.rate.isReduced, turns.gap]).toEqual([true, 1])
    runs.fill(0)
    second()
    for (const count of runs) expect(count).toBeGreaterThanOrEqual(29)
  })

  it('does not skip frames before it is started', () => {
    const one = frames(40)
    expect(dataFrames(one, 100)).toHaveLength(100)
  })

  it('asks ahead in the frame between two with data, or with the data if there is none between', () => {
    const one = frames(15)
    one.rate.start()
    dataFrames(one, 60)
    const ran: string[] = []
    const play = (count: number, frameMs: number): string => {
      ran.length = 0
      for (let at = 0; at < count; at++) {
        one.rate.data(() => void ran.push('data'))
        one.rate.ahead(() => void ran.push('ahead'))
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
    one.rate.start()
    dataFrames(one, 60)
    while (one.waiting() > 0) one.step()
    let ran = 0
    one.rate.ahead(() => ran++)
    one.step()
    expect(ran).toBe(1)
    expect(one.waiting()).toBe(0)
  })

  it('runs the rest of a frame in which something fails, and reports it', () => {
    const { rate, step, failures } = frames(1)
    let ran = 0
    rate.data(() => {
      throw new Error('a pane that fails')
    })
    rate.data(() => ran++)
    step()
    expect(ran).toBe(1)
    expect(failures).toEqual([new Error('a pane that fails')])
  })
})
