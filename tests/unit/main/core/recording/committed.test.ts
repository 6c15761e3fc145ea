import { expect, it } from 'vitest'
import type { WriterEvent } from '../../../../../src/main/core/store/types/writer.ts'
import { watchCommits } from '../../../../../src/main/core/recording/committed.ts'
import { sessionId } from '../../../../../src/shared/base/units.ts'
import { manualClock } from '../../../../kit/clock.ts'

const A = sessionId('a')
const B = sessionId('b')

function world() {
  let send: (event: WriterEvent) => void = () => undefined
  const clock = manualClock(0)
  const onEvent = (listener: (event: WriterEvent) => void) => {
    send = listener
    return () => undefined
  }
  const watch = watchCommits({ onEvent }, clock)
  const commit = (session: typeof A, seq: number) =>
    send({ is: 'committed', session, seq, messages: 1, firstMonoNs: 0, storeBytes: 0, freeBytes: 0 })
  const done: string[] = []
  const ask = (name: string, seq: number) => watch.upTo(seq).then(() => done.push(name))
  const settled = async () => {
    await Promise.resolve()
    await Promise.resolve()
    return done
  }
  return { watch, commit, ask, settled, clock }
}

it('waits for the commit of what was received, and for no other', async () => {
  const { watch, commit, ask, settled, clock } = world()
  watch.began(A)
  void ask('ten', 10)
  commit(A, 9)
  expect(await settled()).toEqual([])
  commit(A, 12)
  expect(await settled()).toEqual(['ten'])
  void ask('twelve', 12)
  expect(await settled()).toEqual(['ten', 'twelve'])
  expect(clock.timers).toBe(0)
})

it('doesn’t resolve with a late commit of the previous session', async () => {
  const { watch, commit, ask, settled } = world()
  watch.began(A)
  commit(A, 5_000)
  watch.began(B)
  void ask('first of b', 1)
  commit(A, 5_100)
  expect(await settled()).toEqual([])
  void ask('second of b', 2)
  commit(B, 1)
  expect(await settled()).toEqual(['first of b'])
  commit(B, 2)
  expect(await settled()).toEqual(['first of b', 'second of b'])
})

it('resolves for the previous session once the next one is committed', async () => {
  const { watch, commit, ask, settled } = world()
  watch.began(A)
  void ask('last of a', 5_000)
  watch.began(B)
  commit(A, 4_000)
  expect(await settled()).toEqual([])
  commit(B, 1)
  expect(await settled()).toEqual(['last of a'])
})

it('counts commits of a session that arrive before its start is announced', async () => {
  const { watch, commit, ask, settled } = world()
  watch.began(A)
  commit(B, 3)
  watch.began(B)
  void ask('third of b', 3)
  expect(await settled()).toEqual(['third of b'])
})

it('waits for the disk only for a limited time', async () => {
  const { watch, ask, settled, clock } = world()
  watch.began(A)
  void ask('ever', 1)
  clock.advance(60_000)
  expect(await settled()).toEqual(['ever'])
})

it('goes on waiting for the others once one has waited long enough', async () => {
  const { watch, ask, commit, settled, clock } = world()
  watch.began(A)
  void ask('early', 1)
  clock.advance(1)
  void ask('late', 2)
  while ((await settled()).length === 0) clock.advance(1)
  expect(await settled()).toEqual(['early'])
  commit(A, 2)
  expect(await settled()).toEqual(['early', 'late'])
  expect(clock.timers).toBe(0)
})
