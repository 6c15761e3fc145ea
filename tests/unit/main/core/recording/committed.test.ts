import { expect, it } from 'vitest'
import type { WriterEvent } from '../../../../../src/main/core/store/types/writer.ts'
import { watchCommits } from '../../../../../src/main/core/recording/committed.ts'
import { monoNs, recordingId, unixMs } from '../../../../../src/shared/base/units.ts'

const A = recordingId('a')
const B = recordingId('b')

function world() {
  let tell: (event: WriterEvent) => void = () => undefined
  const late: (() => void)[] = []
  const watch = watchCommits(
    {
      onEvent(listener) {
        tell = listener
        return () => undefined
      },
    },
    {
      wallMs: () => unixMs(0),
      monoNs: () => monoNs(0),
      after(_ms, then) {
        late.push(then)
        return () => void late.splice(late.indexOf(then), 1)
      },
    },
  )
  const commit = (recording: typeof A, seq: number) =>
    tell({ is: 'committed', recording, seq, messages: 1, firstMonoNs: 0, storeBytes: 0, freeBytes: 0 })
  const done: string[] = []
  const ask = (name: string, seq: number) => watch.upTo(seq).then(() => done.push(name))
  const settled = async () => {
    await Promise.resolve()
    await Promise.resolve()
    return done
  }
  return { watch, commit, ask, settled, late }
}

it('waits for the commit of what was received, and for no other', async () => {
  const { watch, commit, ask, settled, late } = world()
  watch.began(A)
  void ask('ten', 10)
  commit(A, 9)
  expect(await settled()).toEqual([])
  commit(A, 12)
  expect(await settled()).toEqual(['ten'])
  void ask('twelve', 12)
  expect(await settled()).toEqual(['ten', 'twelve'])
  expect(late).toEqual([])
})

it('is not answered by a late commit of the recording before', async () => {
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

it('answers who waited for the recording before, once the next one is committed', async () => {
  const { watch, commit, ask, settled } = world()
  watch.began(A)
  void ask('last of a', 5_000)
  watch.began(B)
  commit(A, 4_000)
  expect(await settled()).toEqual([])
  commit(B, 1)
  expect(await settled()).toEqual(['last of a'])
})

it('knows what was committed of a recording before anybody said that it began', async () => {
  const { watch, commit, ask, settled } = world()
  watch.began(A)
  commit(B, 3)
  watch.began(B)
  void ask('third of b', 3)
  expect(await settled()).toEqual(['third of b'])
})

it('waits no longer than a disk may be waited for', async () => {
  const { watch, ask, settled, late } = world()
  watch.began(A)
  void ask('ever', 1)
  late[0]?.()
  expect(await settled()).toEqual(['ever'])
})
