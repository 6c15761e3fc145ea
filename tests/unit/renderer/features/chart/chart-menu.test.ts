import { render, screen } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import ChartMenu from '../../../../../src/renderer/features/chart/ChartMenu.svelte'

it('shows a key only beside the actions that have one', () => {
  render(ChartMenu, {
    actions: [
      { text: 'Copy price', key: '', run: () => {} },
      { text: 'Latest', key: 'End', run: () => {} },
    ],
  })
  const items = screen.getAllByRole('menuitem', { hidden: true })
  expect(items.map((item) => item.querySelector('kbd')?.textContent)).toEqual([undefined, 'End'])
})
