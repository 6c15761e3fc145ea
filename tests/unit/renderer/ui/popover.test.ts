import '../browser-stubs.ts'
import { cleanup, fireEvent, render } from '@testing-library/svelte'
import { createRawSnippet, tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import Popover from '../../../../src/renderer/ui/Popover.svelte'

/**
 * Toggles a popover as a browser does on Esc. It empties the microtask queue after the handlers of an event of its own;
 * the second event comes in a task.
 */
async function toggle(panel: Element, newState: 'open' | 'closed'): Promise<void> {
  panel.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState }))
  await tick()
  panel.dispatchEvent(Object.assign(new Event('toggle'), { newState }))
  await tick()
}

let chart: HTMLElement
beforeEach(() => {
  chart = document.body.appendChild(document.createElement('div'))
  chart.tabIndex = 0
  chart.focus()
})
afterEach(() => {
  cleanup()
  document.body.replaceChildren()
})

function open(content: string) {
  const trigger = createRawSnippet(() => ({ render: () => '<i></i>' }))
  const children = createRawSnippet<[() => void]>(() => ({ render: () => content }))
  const { container } = render(Popover, { label: 'Indicators', trigger, children })
  const panel = container.querySelector('[role="dialog"]') as HTMLElement // the popover's own
  // jsdom has no popovers: one that is shown is an element like others.
  panel.removeAttribute('popover')
  return { panel, button: container.querySelector('button') as HTMLElement } // its trigger
}
const focused = () => document.activeElement?.textContent
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key })

describe('a letter typed while a popover opens', () => {
  const begin = (panel: Element) =>
    panel.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState: 'open' as const }))
  it.each([
    ['the field it begins with', '<input>'],
    ['the field that will have the focus', '<p><button>All</button><input data-takes-focus></p>'],
  ])('goes into %s', (_what, content) => {
    const { panel } = open(content)
    let isSeen = false
    chart.addEventListener('keydown', () => (isSeen = true))
    begin(panel)
    expect(document.activeElement).toBe(chart)
    void press('s')
    expect(document.activeElement?.tagName, 'where the browser enters the letter').toBe('INPUT')
    expect(isSeen, 'what had the focus takes it for a command').toBe(false)
  })
  it('goes where it went if nothing in it takes the focus, or once something had it', async () => {
    const { panel, button } = open('<p><input type="checkbox"></p>')
    begin(panel)
    void press('s')
    expect(document.activeElement).toBe(chart)
    cleanup()
    const other = open('<input>')
    await toggle(other.panel, 'open')
    other.button.focus()
    void press(' ')
    expect(document.activeElement).toBe(other.button)
    expect(button.isConnected).toBe(false)
  })
  it('with Ctrl is a shortcut', () => {
    const { panel } = open('<input>')
    begin(panel)
    void fireEvent.keyDown(chart, { key: 'k', ctrlKey: true })
    expect(document.activeElement).toBe(chart)
  })
})

describe('a popover returns the focus', () => {
  it('to the chart that it was opened from by key', async () => {
    const { panel } = open('<input>')
    await toggle(panel, 'open')
    expect(document.activeElement?.tagName).toBe('INPUT')
    await toggle(panel, 'closed')
    expect(document.activeElement).toBe(chart)
  })
  it('to its button, wherever in the panel the focus is', async () => {
    const { panel, button } = open('<div><p>Recording</p><button>Stop</button></div>')
    button.focus()
    await toggle(panel, 'open')
    expect(document.activeElement).toBe(button)
    panel.querySelector('button')?.focus()
    await toggle(panel, 'closed')
    expect(document.activeElement).toBe(button)
  })
  it('after the focused part of the panel is gone', async () => {
    const { panel } = open('<div><input></div>')
    await toggle(panel, 'open')
    panel.querySelector('input')?.remove()
    expect(document.activeElement).toBe(document.body)
    await toggle(panel, 'closed')
    expect(document.activeElement).toBe(chart)
  })
  it('to its button if what had it is gone', async () => {
    const { panel, button } = open('<input>')
    await toggle(panel, 'open')
    chart.remove()
    await toggle(panel, 'closed')
    expect(document.activeElement).toBe(button)
  })
  it('unless something else has it, as after a click elsewhere', async () => {
    const { panel } = open('<input>')
    await toggle(panel, 'open')
    const field = document.body.appendChild(document.createElement('input'))
    field.focus()
    await toggle(panel, 'closed')
    expect(document.activeElement).toBe(field)
  })
})

describe('a popover that is a menu', () => {
  const MENU =
    '<div class="items"><button>Bars</button><button disabled>Picture</button><hr><button>Data</button></div>'
  it('takes the focus and is walked by arrow keys', async () => {
    const { panel } = open(MENU)
    await toggle(panel, 'open')
    expect(focused()).toBe('Bars')
    await press('ArrowDown')
    expect(focused()).toBe('Data')
    await press('ArrowDown')
    expect(focused()).toBe('Bars')
    await press('End')
    expect(focused()).toBe('Data')
  })
  it('keeps the focus when it shows other choices', async () => {
    const { panel } = open(MENU)
    await toggle(panel, 'open')
    panel.querySelector('.items')?.replaceChildren(document.createElement('button'))
    await tick()
    expect(document.activeElement).toBe(panel.querySelector('button'))
  })
  it('leaves arrow keys to the fields of a form', async () => {
    const { panel } = open('<div class="items"><select></select><button>Data</button></div>')
    await toggle(panel, 'open')
    expect(document.activeElement?.tagName).toBe('SELECT')
    await press('ArrowDown')
    expect(document.activeElement?.tagName).toBe('SELECT')
  })
})
