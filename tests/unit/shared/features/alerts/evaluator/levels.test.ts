import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LevelIndex } from '../../../../../../src/shared/features/alerts/evaluator/levels.ts'

const run = (index: LevelIndex<string>, values: readonly number[]) => {
  const met: string[] = []
  for (const value of values) {
    index.step(
      value,
      (item, up) => met.push(`${item}${up ? '↑' : '↓'}${value}`),
      (item, up) => met.push(`${item}${up ? '⇡' : '⇣'}${value}`),
    )
  }
  return met
}
const at = (...levels: number[]) => {
  const index = new LevelIndex<string>()
  for (const level of levels) index.add(level, `@${level}`)
  return index
}

describe('levels', () => {
  test.each<[string, number[], number[], string[]]>([
    ['the first value crosses nothing', [10], [12], []],
    ['from below to above', [10], [9, 11], ['@10↑11']],
    ['from below to the level itself', [10], [9, 10], ['@10↑10']],
    ['on from the level is no cross', [10], [9, 10, 11], ['@10↑10']],
    ['back to where it came from is none', [10], [9, 10, 9], ['@10↑10']],
    ['touched once more', [10], [9, 10, 9, 10], ['@10↑10', '@10↑10']],
    ['from above', [10], [11, 10], ['@10↓10']],
    ['beginning on the level', [10], [10, 11, 10, 9], ['@10↓10']],
    ['several at once, in the order they are met', [10, 11, 12], [9, 13], ['@10↑13', '@11↑13', '@12↑13']],
    ['several downwards', [10, 11, 12], [13, 10], ['@12↓10', '@11↓10', '@10↓10']],
    ['nothing between', [10, 20], [12, 15, 19, 11], []],
    ['what is no number breaks the chain, and is where nothing stands', [10], [12, NaN, 5, 11], ['@10↑11']],
    ['tiny prices', [1e-9], [9e-10, 1.1e-9], ['@1e-9↑1.1e-9']],
  ])('%s', (_, levels, values, met) => {
    expect(run(at(...levels), values)).toEqual(met)
  })

  test('a cut chain crosses nothing, and tells what was passed unseen', () => {
    const index = at(10)
    run(index, [9])
    index.cut()
    expect(run(index, [11, 9])).toEqual(['@10⇡11', '@10↓9'])
    index.cut()
    index.cut()
    expect(run(index, [8])).toEqual([])
    index.cut(true)
    expect(run(index, [12])).toEqual([])
  })

  test('after a reset, everything below the first value counts as crossed', () => {
    const index = at(10, 20)
    index.restart()
    expect(run(index, [15])).toEqual(['@10↑15'])
  })

  test('a level that is expected is crossed by the next value beyond it, though none came before', () => {
    for (const { values, told } of [
      { values: [9, 11], told: ['back⇣9', 'back↑11'] },
      { values: [10], told: ['back⇣10'] },
      { values: [11, 9], told: ['back↓9'] },
    ]) {
      const index = new LevelIndex<string>()
      index.expect(10, 'back', false)
      expect(run(index, values)).toEqual(told)
    }
  })

  test('a fresh level under the value is crossed by the next value at or above it', () => {
    const index = at()
    run(index, [15])
    index.add(10, 'fresh', true)
    index.add(12, 'plain')
    expect(run(index, [15, 15])).toEqual(['fresh↑15'])
  })

  test('equals a naive look at every level, with levels coming and going', () => {
    const number = fc.integer({ min: 0, max: 20 })
    const step = fc.oneof(
      fc.record({ is: fc.constant('value' as const), n: number }),
      fc.record({ is: fc.constant('add' as const), n: number }),
      fc.record({ is: fc.constant('remove' as const), n: number }),
      fc.record({ is: fc.constant('cut' as const), n: number }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const index = new LevelIndex<number>()
        let naive: { level: number; item: number }[] = []
        let before = NaN
        let items = 0
        for (const { is, n } of steps) {
          if (is === 'cut') {
            index.cut(true)
            before = NaN
          } else if (is === 'add') {
            naive.push({ level: n, item: ++items })
            index.add(n, items)
          } else if (is === 'remove') {
            const found = naive.find(({ level }) => level === n)
            if (found === undefined) continue
            naive = naive.filter((one) => one !== found)
            index.remove(n, found.item)
          } else {
            const met: number[] = []
            index.step(n, (item) => met.push(item))
            const wanted = naive.filter(({ level }) => (before < level && level <= n) || (before > level && level >= n))
            expect(met.toSorted((a, b) => a - b)).toEqual(wanted.map(({ item }) => item).toSorted((a, b) => a - b))
            before = n
          }
        }
        expect(index.size).toBe(naive.length)
      }),
    )
  })
})
