import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { accentOf, followAccent, type SystemAccent } from '../../../../../../src/main/hosts/electron/desktop/accent.ts'

class FakeSystem extends EventEmitter implements SystemAccent {
  color: string | Error = '3fb950ff'
  readonly notices = new Map<number, () => void>()
  getAccentColor(): string {
    if (this.color instanceof Error) throw this.color
    return this.color
  }
  subscribeNotification(_event: string, callback: () => void): number {
    this.notices.set(this.notices.size + 1, callback)
    return this.notices.size
  }
  unsubscribeNotification(id: number): void {
    this.notices.delete(id)
  }
}

it('reads what the system spells', () => {
  expect(accentOf('AABBCCDD')).toBe('#aabbcc')
  expect(accentOf('#aabbcc')).toBe('#aabbcc')
  for (const odd of ['', 'red', 'aabbc', 'aabbccdde', undefined, 7, 'url(x)']) expect(accentOf(odd)).toBeNull()
})

it('reports the color at once and on every change, until it is closed', () => {
  const system = new FakeSystem()
  const told: (string | null)[] = []
  const undo = followAccent(system, 'win32', (accent) => told.push(accent))
  system.emit('accent-color-changed', {}, 'ff000080')
  system.color = '0000ffff'
  system.emit('accent-color-changed', {}, 'odd')
  undo()
  system.emit('accent-color-changed', {}, '111111ff')
  expect(told).toEqual(['#3fb950', '#ff0000', '#0000ff'])
  expect(system.listenerCount('accent-color-changed')).toBe(0)
})

it('reads again on macOS when its preferences change, and works without an accent color', () => {
  const system = new FakeSystem()
  const told: (string | null)[] = []
  system.color = new Error('not before 10.14')
  const undo = followAccent(system, 'darwin', (accent) => told.push(accent))
  system.color = 'ff9500ff'
  for (const notice of system.notices.values()) notice()
  expect(told).toEqual([null, '#ff9500'])
  undo()
  expect(system.notices.size).toBe(0)
})
