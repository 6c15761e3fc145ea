import { expect, it } from 'vitest'
// Scripts, not part of the program's types.
import { createBeat, SILENCE_MS } from '../../../scripts/lib/beat.mjs'

function beatOf(all: number) {
  const lines: string[] = []
  let nowMs = 0
  const beat = createBeat({ all, now: () => nowMs, print: (line) => lines.push(line) })
  /** Lets seconds pass, with a tick in each. */
  const pass = (seconds: number): void => {
    for (let i = 0; i < seconds; i++) {
      nowMs += 1_000
      beat.tick()
    }
  }
  return { beat, lines, pass }
}

it('says what is running, for how long and how far, once nothing was printed for ten seconds', () => {
  const { beat, lines, pass } = beatOf(3)
  expect(SILENCE_MS).toBe(10_000)
  beat.begin('Lint')
  pass(5)
  beat.begin('Types')
  pass(9)
  expect(lines).toEqual([])
  pass(1)
  expect(lines).toEqual(['   … Lint (15 s) and Types (10 s); 0 of 3 checks done'])
  beat.end('Lint')
  pass(25)
  expect(lines.slice(1)).toEqual(['   … Types (20 s); 1 of 3 checks done', '   … Types (30 s); 1 of 3 checks done'])
})

it('is silent while something else prints, draws on the terminal, or nothing runs', () => {
  const { beat, lines, pass } = beatOf(2)
  pass(30)
  beat.begin('Unit', true)
  pass(30)
  beat.end('Unit')
  beat.begin('Types')
  for (let i = 0; i < 10; i++) {
    pass(9)
    beat.heard()
  }
  expect(lines).toEqual([])
})
