import { describe, expect, it } from 'vitest'
import { tabAfter } from '../../../../src/renderer/ui/tabs.ts'

describe('keys of tabs', () => {
  it('go round by the arrows of their direction, and to the ends', () => {
    expect(tabAfter('ArrowRight', 0, 3)).toBe(1)
    expect(tabAfter('ArrowRight', 2, 3)).toBe(0)
    expect(tabAfter('ArrowLeft', 0, 3)).toBe(2)
    expect(tabAfter('Home', 2, 3)).toBe(0)
    expect(tabAfter('End', 0, 3)).toBe(2)
    expect(tabAfter('ArrowDown', 0, 3, 'vertical')).toBe(1)
    expect(tabAfter('ArrowUp', 0, 3, 'vertical')).toBe(2)
  })

  it('leave every other key alone, and the arrows of the other direction', () => {
    for (const key of ['ArrowDown', 'ArrowUp', 'Enter', 'a']) expect(tabAfter(key, 1, 3)).toBeUndefined()
    for (const key of ['ArrowLeft', 'ArrowRight']) expect(tabAfter(key, 1, 3, 'vertical')).toBeUndefined()
    expect(tabAfter('ArrowRight', -1, 0)).toBeUndefined()
  })

  it('begin at the ends where no tab is chosen', () => {
    expect(tabAfter('ArrowRight', -1, 3)).toBe(0)
    expect(tabAfter('ArrowLeft', -1, 3)).toBe(2)
  })
})
