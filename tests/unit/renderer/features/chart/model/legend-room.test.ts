import { expect, it } from 'vitest'
import { legendRoom } from '../../../../../../src/renderer/features/chart/model/legend-room.ts'

it('keeps prices below what the legend gets under a crosshair, but not below the crosshair’s own line', () => {
  const room = legendRoom()
  expect(room({ whole: 40, values: 20 }, false, false)).toBe(40)
  expect(room({ whole: 60, values: 40 }, true, false), 'the values need a second line').toBe(40)
  expect(room({ whole: 76, values: 40 }, true, false), 'a footprint says how sure it is').toBe(56)
  expect(room({ whole: 96, values: 40 }, true, true), 'a small legend is whole for the moment').toBeNull()
  expect(room({ whole: 56, values: 20 }, false, false)).toBe(56)
  expect(legendRoom()({ whole: 60, values: 40 }, true, false), 'opened under the pointer').toBe(60)
  expect(legendRoom()({ whole: 0, values: 0 }, false, false), 'not laid out').toBeNull()
})
