import { expect, it } from 'vitest'
import { textKernel } from '../../../../../../src/main/core/store/replay/text-kernel.ts'

it('leaves templates that it has no room for to JavaScript, and takes them in a later batch', () => {
  const kernel = textKernel(false)!
  const partsOf = (i: number): Buffer[] => [Buffer.from(`{"number ${i}":`.padEnd(100)), Buffer.from('}')]
  let added = 0
  // A kernel serves a process: what it took before goes when it is full.
  while (kernel.addTemplate(0, partsOf(added)) !== undefined) added++
  kernel.begin(1)
  const { round } = kernel
  added = 0
  while (kernel.addTemplate(0, partsOf(added)) !== undefined) added++
  expect(added).toBeGreaterThan(2_000)
  expect(kernel.round).toBe(round)
  kernel.begin(1)
  expect(kernel.round).not.toBe(round)
  const again = kernel.addTemplate(0, partsOf(added))
  expect(again).toBe(0)
  kernel.templates[0] = 0
  kernel.numbers[0].values[0] = 7
  kernel.numbers[0].forms[0] = 0
  const { row, text } = kernel.write(0, 1)
  expect([row, Buffer.from(text).toString()]).toEqual([1, `${partsOf(added)[0].toString()}7}`])
})

it('leaves messages with more numbers than it takes to JavaScript', () => {
  const kernel = textKernel(true)!
  const partsOf = (numbers: number): Buffer[] => Array.from({ length: numbers + 1 }, () => Buffer.from(' '))
  expect(kernel.addTemplate(0, partsOf(16))).toBeDefined()
  expect(kernel.addTemplate(0, partsOf(17))).toBeUndefined()
  expect(kernel.addTemplate(0, [Buffer.from('{\n"p":'), Buffer.from('}')])).toBeUndefined()
})
