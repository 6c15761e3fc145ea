/** Menus of the right button, of Shift+F10 and of the menu key: opened by a call, in whichever document was pressed. */
import { flushSync, mount, unmount } from 'svelte'
import Menu from './Menu.svelte'
import { tidyEntries, type MenuEntry, type MenuPlace } from './menu-entries.ts'

/** Whether a `contextmenu` event came from the keyboard, which points at nothing. */
const isByKey = (event: MouseEvent) => event.button !== 2 && !event.ctrlKey

/**
 * Opens a menu and takes the focus there; it goes back when the menu closes. `anchor`: what the menu is of,
 * beside which it opens when it was asked for by key; without one it is the target of the event.
 */
export function openMenu(
  event: MouseEvent,
  label: string,
  entries: readonly (MenuEntry | null)[],
  anchor: Element | null = event.target instanceof Element ? event.target : null,
): void {
  const tidy = tidyEntries(entries)
  const target = anchor ?? (event.target instanceof Element ? event.target : null)
  const owner = target?.ownerDocument ?? document
  if (tidy.length === 0) return
  event.preventDefault()
  event.stopPropagation()
  const box = target?.getBoundingClientRect()
  const at: MenuPlace =
    isByKey(event) && box ? { x: box.left + 12, y: box.bottom } : { x: event.clientX, y: event.clientY }
  showMenu(label, tidy, at, owner)
}

/** Opens a menu at a place of a document's viewport; the focus goes there, and back when the menu closes. */
export function showMenu(label: string, entries: readonly MenuEntry[], at: MenuPlace, owner = document): void {
  const before = owner.activeElement
  const menu = mount(Menu, {
    target: owner.body,
    props: {
      label,
      entries,
      at,
      onend: (run: (() => void) | null) => {
        void unmount(menu)
        // What had the focus can take it again; a popped-out window's elements are of a class of their own.
        if (before?.isConnected) (before as HTMLElement).focus()
        run?.()
      },
    },
  })
  // The focus is in the menu before the next key comes.
  flushSync()
}
