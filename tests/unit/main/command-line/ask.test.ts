import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { ask, type TerminalInput } from '../../../../src/main/command-line/ask.ts'

class Keyboard extends EventEmitter implements TerminalInput {
  readonly modes: boolean[] = []
  setRawMode = (on: boolean): void => void this.modes.push(on)
  resume = (): this => this
  pause = (): this => this
}

async function typed(keys: readonly string[], hidden: boolean) {
  const keyboard = new Keyboard()
  let shown = ''
  let rawAtQuestion: boolean | undefined
  let interrupts = 0
  const answer = ask(
    keyboard,
    (text) => {
      rawAtQuestion ??= keyboard.modes.at(-1) ?? false
      shown += text
    },
    'Name: ',
    { hidden, interrupt: () => interrupts++ },
  )
  for (const key of keys) keyboard.emit('data', Buffer.from(key))
  const result = await answer.catch((thrown: unknown) => (thrown as { code: string }).code)
  expect(rawAtQuestion).toBe(true)
  return { result, shown, interrupts, modes: keyboard.modes, listeners: keyboard.listenerCount('data') }
}

describe('a question at a terminal', () => {
  it.each<[string, readonly string[], string]>([
    ['typed', ['a', 'b', '\r'], 'ab'],
    ['pasted', ['pass wörd\n'], 'pass wörd'],
    ['corrected', ['abé', '\u007f', '\u007f', 'c', '\r'], 'ac'],
    ['begun again', ['abc', '\u0015', 'd', '\r'], 'd'],
    ['empty', ['\u007f', '\r'], ''],
  ])('that is %s', async (_, keys, expected) => {
    const { result, shown, modes, listeners } = await typed(keys, true)
    expect([result, shown]).toEqual([expected, 'Name: \n'])
    expect([modes, listeners]).toEqual([[true, false], 0])
  })

  it('is echoed unless it is a secret', async () => {
    expect((await typed(['ab', '\u007f', 'c', '\r'], false)).shown).toBe('Name: ab\b \bc\n')
  })

  it.each([
    ['\u0003', 1],
    ['\u0004', 0],
  ])('ends with %j, and the terminal echoes again', async (key, interrupts) => {
    expect(await typed(['ab', key], true)).toMatchObject({
      result: 'cancelled',
      interrupts,
      modes: [true, false],
      listeners: 0,
    })
  })
})
