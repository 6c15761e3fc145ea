import { expect, it } from 'vitest'
import { sizeText } from '../../../../src/shared/base/size-text.ts'

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [48_000, '48.0 kB'],
  [312e6, '312.0 MB'],
  [4.7e9, '4.7 GB'],
])('writes %d bytes as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
