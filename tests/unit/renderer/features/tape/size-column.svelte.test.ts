import { flushSync } from 'svelte'
import { expect, it } from 'vitest'
import { SizeColumn } from '../../../../../src/renderer/features/tape/size-column.svelte.ts'
import type { TapeRow } from '../../../../../src/renderer/features/tape/bursts.ts'

it('has the decimals and the width of the shown sizes, and shrinks only with another instrument', () => {
  let sizes = $state.raw<readonly (number | null)[]>([])
  let ready = $state(false)
  const tape = {
    get ready() {
      return ready
    },
    get count() {
      return sizes.length
    },
    at: (i: number) => ({ size: sizes[i] }) as TapeRow, // only the size is read
  }
  let column: SizeColumn | undefined
  const stop = $effect.root(() => {
    column = new SizeColumn(
      () => tape,
      (size, decimals) => size.toFixed(decimals),
    )
  })
  const shown = (ofReady: boolean, ...of: readonly (number | null)[]) => {
    ready = ofReady
    sizes = of
    flushSync()
    return [column?.decimals, column?.length]
  }
  expect(shown(false, 12.5), 'not ready').toEqual([0, 0])
  expect(shown(true, 5, null)).toEqual([0, 1])
  expect(shown(true, 0.25, 1_000)).toEqual([2, 7])
  expect(shown(true, 3), 'smaller sizes').toEqual([2, 7])
  expect(shown(true, 0.123456789), 'at most six decimals').toEqual([6, 8])
  expect(shown(false)).toEqual([0, 0])
  expect(shown(true, ...Array<number>(40).fill(1), 12_345), 'beyond the first rows').toEqual([0, 1])
  stop()
})
