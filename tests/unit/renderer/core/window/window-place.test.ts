import { describe, expect, it } from 'vitest'
import { featuresOf, keepPlace } from '../../../../../src/renderer/core/window/window-place.ts'

function storage() {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
}
const place = { left: -1_200, top: 40, width: 640, height: 480 }

describe('the place of a popped-out window', () => {
  it('is what it opens at again, each by its name', () => {
    const store = storage()
    keepPlace(store, 'desk', 'window-1', place)
    expect(featuresOf(store, 'desk', 'window-1')).toBe('popup,left=-1200,top=40,width=640,height=480')
    expect(featuresOf(store, 'desk', 'window-2')).toBe('popup,width=760,height=560')
    expect(featuresOf(store, 'other', 'window-1')).toBe('popup,width=760,height=560')
  })
  it('is none where a window is hidden, or tells nonsense', () => {
    const store = storage()
    for (const bad of [{ width: 0, height: 0 }, { width: NaN }, { left: 1e9 }, { top: 0.5 }])
      keepPlace(store, 'desk', 'window-1', { ...place, ...bad })
    expect(store.kept.size).toBe(0)
  })
  it.each(['', '{', 'null', '[]', '{"left":"0,menubar=yes","top":0,"width":640,"height":480}', '{"left":1}'])(
    'is the usual one for %j',
    (text) => {
      const store = storage()
      keepPlace(store, 'desk', 'window-1', place)
      for (const key of store.kept.keys()) store.kept.set(key, text)
      expect(featuresOf(store, 'desk', 'window-1')).toBe('popup,width=760,height=560')
    },
  )
  it('is skipped if nothing can be saved', () => {
    const full = {
      getItem: () => {
        throw new Error('denied')
      },
      setItem: () => {
        throw new Error('full')
      },
    }
    keepPlace(full, 'desk', 'window-1', place)
    expect(featuresOf(full, 'desk', 'window-1')).toBe('popup,width=760,height=560')
  })
})
