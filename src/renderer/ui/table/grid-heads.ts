/** Keyboard access to a grid's headers: a single Tab stop, navigated by arrow keys, pressed with Enter or Space. */
import type { Attachment } from 'svelte/attachments'

const headsIn = (row: Element): HTMLButtonElement[] => [...row.querySelectorAll('button')]

/** Handles ←, →, Home and End in a row of header buttons; ↓ and Esc return to the rows. */
export const headKeys =
  (toRows: () => void): Attachment<HTMLElement> =>
  (row) => {
    const key = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const heads = headsIn(row)
      const at = heads.findIndex((one) => one === event.target)
      if (at < 0) return
      if (event.key === 'ArrowLeft') heads[at - 1]?.focus()
      else if (event.key === 'ArrowRight') heads[at + 1]?.focus()
      else if (event.key === 'Home') heads[0]?.focus()
      else if (event.key === 'End') heads.at(-1)?.focus()
      else if (event.key === 'ArrowDown' || event.key === 'Escape') toRows()
      else if (event.key !== 'ArrowUp') return
      event.preventDefault()
      event.stopPropagation()
    }
    row.addEventListener('keydown', key)
    return () => row.removeEventListener('keydown', key)
  }

/** Whether a key was pressed on a header, where the keys of rows don't apply. */
export const isOnHead = ({ target }: Event): boolean =>
  target instanceof Element && target.closest('[role="columnheader"]') !== null

/** Moves the focus from the first row of a grid to the header that is its Tab stop. */
export function focusHeads(grid: Element | null | undefined): void {
  grid?.querySelector<HTMLButtonElement>('[role="columnheader"] button[tabindex="0"]')?.focus()
}
