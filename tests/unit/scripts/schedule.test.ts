/** In which order the checks run, and which of them run side by side. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CHECKS, restChecks, testChecks } from '../../../scripts/lib/checks.mjs'
import { schedule, type Scheduled } from '../../../scripts/lib/schedule.mjs'

/** A schedule under way: which checks run, and how to end one. */
function start(rows: readonly Scheduled[]) {
  const running = new Map<string, () => void>()
  const done = schedule(
    rows,
    ({ id }) =>
      new Promise<string>((resolve) =>
        running.set(id, () => {
          running.delete(id)
          resolve(`result of ${id}`)
        }),
      ),
  )
  return {
    done,
    now: () => [...running.keys()],
    async end(id: string): Promise<string[]> {
      running.get(id)?.()
      await turn()
      return [...running.keys()]
    },
  }
}

test('background checks run beside the others, and what is timed runs alone at the end', async () => {
  const { done, now, end } = start([
    { id: 'lint', background: 'low' },
    { id: 'types', background: 'low' },
    { id: 'pack', background: 'low' },
    { id: 'unit' },
    { id: 'speed', alone: true },
    { id: 'stories' },
    { id: 'gaps', background: 'normal' },
    { id: 'cold', background: 'normal' },
    { id: 'bench', alone: true },
  ])
  await turn()
  expect(now()).toEqual(['unit', 'gaps', 'lint', 'types'])
  expect(await end('unit')).toEqual(['gaps', 'lint', 'types', 'stories'])
  expect(await end('stories')).toEqual(['gaps', 'lint', 'types'])
  expect(await end('types')).toEqual(['gaps', 'lint', 'pack'])
  expect(await end('gaps')).toEqual(['lint', 'pack', 'cold'])
  expect(await end('lint')).toEqual(['pack', 'cold'])
  expect(await end('pack')).toEqual(['cold'])
  expect(await end('cold')).toEqual(['speed'])
  expect(await end('speed')).toEqual(['bench'])
  expect(await end('bench')).toEqual([])
  const ids = ['lint', 'types', 'pack', 'unit', 'speed', 'stories', 'gaps', 'cold', 'bench']
  expect(await done).toEqual(ids.map((id) => `result of ${id}`))
})

test('each loss test is run by a check, but for those of teams', () => {
  const named = CHECKS.flatMap(({ commands }) => commands.filter(([file]) => file.endsWith('loss/run.ts')).flatMap(([, ...names]) => names)) // oxfmt-ignore
  expect(named.toSorted()).toEqual(['crash', 'damage', 'disk', 'gaps', 'hostile', 'million'])
})

test('a check waits for the one whose files it reads, if that runs at all', async () => {
  const packed = { id: 'packed', after: 'pack' }
  const both = start([packed, { id: 'pack', background: 'low' }])
  await turn()
  expect(both.now()).toEqual(['pack'])
  expect(await both.end('pack')).toEqual(['packed'])
  const one = start([packed])
  await turn()
  expect(one.now()).toEqual(['packed'])
})

test('of the checks there are, the timed ones are alone, and none waits for one that comes later', () => {
  expect(CHECKS.filter(({ alone }) => alone).map(({ id }) => id)).toEqual(['speed', 'bench'])
  const background = CHECKS.filter((check) => check.background).map(({ id }) => id)
  const awaited = CHECKS.flatMap((check) => check.after ?? [])
  expect(awaited).toEqual(['pack'])
  expect(background).toEqual(expect.arrayContaining(awaited))
})

test.each([false, true])('every check runs once in an npm test and the rest after it, ahead: %s', (isAhead) => {
  const first = testChecks(isAhead).map(({ id }) => id)
  const rest = restChecks(new Set(first))
  expect([...first, ...rest.map(({ id }) => id)].sort()).toEqual(CHECKS.map(({ id }) => id).sort())
  expect(rest.some(({ background }) => background !== undefined)).toBe(!isAhead)
})
