import '../browser-stubs.ts'
import { cleanup, fireEvent, render } from '@testing-library/svelte'
import { createRawSnippet, tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { focusPlace, returnFocus } from '../../../../src/renderer/ui/focus-place.ts'
import { openMenu } from '../../../../src/renderer/ui/menu.ts'
import Modal from '../../../../src/renderer/ui/Modal.svelte'

// jsdom has no popovers: one that is shown is an element like others.
HTMLElement.prototype.showPopover ??= function show(this: HTMLElement) {
  this.removeAttribute('popover')
}

/** A pane with a focused button, as the dock renders it. */
beforeEach(() => {
  document.body.innerHTML = `<div class="dv-groupview">
    <div role="tab" tabindex="0" data-tab-panel-id="quote-1" aria-selected="false">Quote</div>
    <div role="tab" tabindex="0" data-tab-panel-id="tape-1" aria-selected="true">Tape</div>
    <button>Pause</button>
  </div>`
  button().focus()
})
afterEach(() => {
  cleanup()
  document.body.replaceChildren()
})
const button = () => document.querySelector('button') as HTMLButtonElement // the one above
/** Rebuilds the pane's content, as a layout of another width does. */
const rebuild = () => button().replaceWith(document.createElement('button'))
const focused = () => document.activeElement?.textContent.trim()

describe('the focus returns', () => {
  it('to the element that had it', () => {
    const place = focusPlace()
    button().blur()
    expect(returnFocus(place)).toBe(true)
    expect(focused()).toBe('Pause')
  })
  it('to the tab of its pane if the element is gone, but to nothing outside of panes', () => {
    const place = focusPlace()
    rebuild()
    expect(returnFocus(place)).toBe(true)
    expect(focused()).toBe('Tape')
    const outside = document.body.appendChild(document.createElement('input'))
    outside.focus()
    const other = focusPlace()
    outside.remove()
    expect(returnFocus(other)).toBe(false)
  })
  it('from a dialog', () => {
    const children = createRawSnippet(() => ({ render: () => '<input>' }))
    const { unmount } = render(Modal, { title: 'Add note', onclose: () => undefined, children })
    expect(document.activeElement?.tagName).toBe('INPUT')
    rebuild()
    unmount()
    expect(focused()).toBe('Tape')
  })
  it('from a menu', async () => {
    button().addEventListener('contextmenu', (event) =>
      openMenu(event, 'Menu', [{ text: 'Copy', run: () => undefined }]),
    )
    button().dispatchEvent(new MouseEvent('contextmenu', { button: 2, bubbles: true, cancelable: true }))
    await tick()
    expect(focused()).toBe('Copy')
    rebuild()
    await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
    expect(focused()).toBe('Tape')
  })
})
