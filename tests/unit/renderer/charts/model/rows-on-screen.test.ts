import { expect, it } from 'vitest'
import { rowsOnScreen } from '../../../../../src/renderer/charts/model/rows-on-screen.ts'

it('shows the rows whose middle is in the plot, or also those of which a part is', () => {
  // Rows of 100 px: the middles of rows 2 and 7 are 30 px outside a plot of 460 px.
  const plot = { firstX: -230, rowPx: 100, width: 460 + 10, count: 20 }
  expect(rowsOnScreen(plot)).toEqual({ from: 3, to: 8 })
  expect(rowsOnScreen({ ...plot, width: 440 })).toEqual({ from: 3, to: 7 })
  expect(rowsOnScreen({ ...plot, width: 440, reachPx: 29 })).toEqual({ from: 3, to: 7 })
  expect(rowsOnScreen({ ...plot, width: 440, reachPx: 31 })).toEqual({ from: 2, to: 8 })
})
