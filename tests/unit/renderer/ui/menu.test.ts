import { fireEvent } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { tidyEntries, type MenuEntry } from '../../../../src/renderer/ui/menu-entries.ts'
import { openMenu } from '../../../../src/renderer/ui/menu.ts'

// jsdom has no popovers: one that is shown is an element like others.
HTMLElement.prototype.showPopover ??= function show(this: HTMLElement) {
  this.removeAttribute('popover')
}

const item = (text: string, run = () => undefined, more: Partial<Exclude<MenuEntry, 'rule'>> = {}): MenuEntry => ({
  text,
  run,
  ...more,
})
const texts = (entries: readonly MenuEntry[]) => entries.map((one) => (one === 'rule' ? '-' : one.text)).join(' ')

describe('entries of a menu', () => {
  it('keep rules only between items', () => {
    const all = ['rule', item('a'), null, 'rule', 'rule', item('b'), 'rule', null] as const
    expect(texts(tidyEntries(all))).toBe('a - b')
    expect(tidyEntries(['rule', null, 'rule'])).toEqual([])
  })
})

describe('a menu', () => {
  const before = document.createElement('button')
  document.body.append(before)
  const menu = () => document.querySelector('[role="menu"]')
  const open = async (entries: readonly (MenuEntry | null)[]) => {
    before.focus()
    const event = new MouseEvent('contextmenu', { button: 2, clientX: 5, clientY: 5, bubbles: true, cancelable: true })
    before.addEventListener('contextmenu', (pressed) => openMenu(pressed, 'Menu of it', entries), { once: true })
    before.dispatchEvent(event)
    await tick()
    return event
  }
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key })
  const focused = () => document.activeElement?.textContent?.trim()
  afterEach(async () => {
    if (menu()) await press('Escape')
  })

  it('has run the chosen action when the focus is back, though the browser reports the closing later', async () => {
    const run = vi.fn()
    // As browsers do it: the focus at once, the event in a task of its own.
    HTMLElement.prototype.hidePopover = function hide(this: HTMLElement) {
      before.focus()
      setTimeout(() => this.dispatchEvent(Object.assign(new Event('toggle'), { newState: 'closed' })))
    }
    onTestFinished(() => void Reflect.deleteProperty(HTMLElement.prototype, 'hidePopover'))
    await open([item('Copy', run)])
    document.querySelector<HTMLElement>('[role="menuitem"]')?.click()
    expect([document.activeElement, run.mock.calls.length]).toEqual([before, 1])
    await new Promise((resolve) => setTimeout(resolve))
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('takes the focus, is walked by arrows that go round, and found in by letters', async () => {
    const event = await open([item('Chart'), 'rule', item('News', undefined, { disabled: true }), item('Copy')])
    expect(event.defaultPrevented).toBe(true)
    expect(menu()?.getAttribute('aria-label')).toBe('Menu of it')
    expect(focused()).toBe('Chart')
    await press('ArrowDown')
    expect(focused()).toBe('Copy')
    await press('ArrowDown')
    expect(focused()).toBe('Chart')
    await press('End')
    expect(focused()).toBe('Copy')
    await press('c')
    expect(focused()).toBe('Chart')
    await press('o')
    expect(focused()).toBe('Copy')
  })
  it('closes by Esc and gives the focus back, having done nothing', async () => {
    const run = vi.fn()
    await open([item('Delete', run)])
    await press('Escape')
    await tick()
    expect(menu()).toBeNull()
    expect(document.activeElement).toBe(before)
    expect(run).not.toHaveBeenCalled()
  })
  it('does what was chosen once the focus is back', async () => {
    let at: Element | null = null
    await open([item('Delete', () => void (at = document.activeElement))])
    await fireEvent.click(document.activeElement ?? document.body)
    expect(at).toBe(before)
    expect(menu()).toBeNull()
  })
  it('tells what is on and what is off, and does not open empty', async () => {
    await open([
      item('In list Majors', undefined, { checked: true }),
      item('In list FX', undefined, { checked: false }),
    ])
    expect(
      [...document.querySelectorAll('[role="menuitemcheckbox"]')].map((one) => one.getAttribute('aria-checked')),
    ).toEqual(['true', 'false'])
    await press('Escape')
    const event = await open([null, 'rule'])
    expect([event.defaultPrevented, menu()]).toEqual([false, null])
  })
})
