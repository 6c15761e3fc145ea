import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  reachableBounds,
  readPlacement,
  writePlacement,
  type Rectangle,
} from '../../../../../src/main/hosts/electron/bounds.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const laptop: Rectangle = { x: 0, y: 0, width: 1920, height: 1040 }
const monitor: Rectangle = { x: 1920, y: -200, width: 2560, height: 1400 }

describe('the place of the window', () => {
  test('is the middle of the primary screen at first', () => {
    expect(reachableBounds(undefined, [laptop, monitor])).toEqual({ x: 240, y: 70, width: 1440, height: 900 })
  })

  test('is where it was', () => {
    const saved = { x: 2000, y: 0, width: 1600, height: 1000 }
    expect(reachableBounds(saved, [laptop, monitor])).toEqual(saved)
  })

  test('is brought back when its monitor was unplugged', () => {
    expect(reachableBounds({ x: 2000, y: 0, width: 1600, height: 1000 }, [laptop])).toEqual({
      x: 160,
      y: 20,
      width: 1600,
      height: 1000,
    })
  })

  test('shrinks to a smaller screen', () => {
    const small = { x: 0, y: 0, width: 1024, height: 600 }
    expect(reachableBounds({ x: 10, y: 10, width: 3000, height: 2000 }, [small])).toMatchObject({
      width: 1024,
      height: 600,
    })
  })

  test('is never out of reach: its top edge can be taken hold of', () => {
    const n = fc.integer({ min: -5_000, max: 5_000 })
    const size = fc.integer({ min: 1, max: 6_000 })
    const rectangle = fc.record({ x: n, y: n, width: size, height: size })
    const screen = fc.record({
      x: n,
      y: n,
      width: fc.integer({ min: 640, max: 4_000 }),
      height: fc.integer({ min: 400, max: 3_000 }),
    })
    fc.assert(
      fc.property(rectangle, fc.array(screen, { minLength: 1, maxLength: 3 }), (saved, screens) => {
        const bounds = reachableBounds(saved, screens)
        const seen = screens.some(
          (s) =>
            Math.min(bounds.x + bounds.width, s.x + s.width) - Math.max(bounds.x, s.x) >= 120 &&
            Math.min(bounds.y + 32, s.y + s.height) - Math.max(bounds.y, s.y) >= 32,
        )
        expect(seen).toBe(true)
      }),
    )
  })
})

describe('the file of the place', () => {
  test('returns what was saved, and nothing if it is corrupt', async () => {
    const folder = makeFolder('place')
    const file = join(folder, 'window.json')
    expect(readPlacement(file)).toBeUndefined()
    const place = { x: -10, y: 20, width: 1200, height: 800, maximized: true }
    writePlacement(file, place)
    expect(readPlacement(file)).toEqual(place)
    for (const damaged of ['', '{', 'null', '{"x":1}', JSON.stringify({ ...place, x: 1e99 })]) {
      await writeFile(file, damaged)
      expect(readPlacement(file)).toBeUndefined()
    }
    writePlacement(join(folder, 'no', 'such', 'folder', 'window.json'), place)
    expect(await readFile(file, 'utf8')).toContain('1e+99')
  })
})
