import { expect, it } from 'vitest'
import { Listeners } from '../../../../src/shared/base/listeners.ts'

it('calls who was there at the call, in order, until they are removed', () => {
  const listeners = new Listeners<[value: number]>()
  const calls: string[] = []
  const remove = listeners.add((value) => {
    calls.push(`first ${value}`)
    remove()
    listeners.add((late) => calls.push(`late ${late}`))
  })
  listeners.add((value) => calls.push(`second ${value}`))
  listeners.call(1)
  listeners.call(2)
  expect(calls).toEqual(['first 1', 'second 1', 'second 2', 'late 2'])
})
