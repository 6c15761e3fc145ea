import { expect, test, vi } from 'vitest'
import { followShortcut } from '../../../../../../src/main/hosts/electron/desktop/shortcut.ts'

test('holds one accelerator at a time, and says why it holds none', () => {
  const held = new Set<string>()
  const system = {
    register: vi.fn((accelerator: string) => {
      if (accelerator === 'Foo') throw new TypeError('conversion failure')
      if (accelerator === 'Ctrl+C') return false
      held.add(accelerator)
      return true
    }),
    unregister: vi.fn((accelerator: string) => void held.delete(accelerator)),
  }
  const shortcut = followShortcut(system, () => undefined)
  expect(shortcut.take('')).toBeNull()
  expect(system.register).not.toHaveBeenCalled()
  expect(shortcut.take('Ctrl+Alt+M')).toBeNull()
  expect([...held]).toEqual(['Ctrl+Alt+M'])
  expect(shortcut.take('Ctrl+C')).toBe('taken')
  expect(shortcut.take('Foo')).toBe('unknown')
  // What was never held is another program's to let go of.
  expect(system.unregister.mock.calls).toEqual([['Ctrl+Alt+M']])
  expect(shortcut.take('Ctrl+Alt+B')).toBeNull()
  shortcut.take('')
  expect(held.size).toBe(0)
})
