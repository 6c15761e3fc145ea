/** Opens context menus (right click, Shift+F10, menu key) in the document where they were requested. */
import { flushSync, mount, unmount } from 'svelte'
import { focusPlace, returnFocus } from './focus-place.ts'
import Menu from './Menu.svelte'
import { tidyEntries, type MenuEntry, type MenuPlace } from './menu-entries.ts'

/** Whether a `contextmenu` event came from the keyboard, so it has no useful position. */
const isByKey = (event: MouseEvent) => event.button !== 2 && !event.ctrlKey

/**
 * Opens a menu and focuses it; the focus returns when the menu closes. Opened by key, the menu appears next to
 * `anchor`, by default the event's target.
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

/** Opens a menu at a position in a document's viewport and focuses it; the focus returns when the menu closes. */
export function showMenu(label: string, entries: readonly MenuEntry[], at: MenuPlace, owner = document): void {
  const before = focusPlace(owner)
  const menu = mount(Menu, {
    target: owner.body,
    props: {
      label,
      entries,
      at,
      onend: (run: (() => void) | null) => {
        void unmount(menu)
        returnFocus(before)
        run?.()
      },
    },
  })
  // Focus the menu before the next key arrives.
  flushSync()
}
