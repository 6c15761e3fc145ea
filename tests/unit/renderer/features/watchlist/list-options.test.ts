import '../../browser-stubs.ts'
import { cleanup, fireEvent } from '@testing-library/svelte'
import { compile } from 'svelte/compiler'
import { tick } from 'svelte'
import { afterEach, expect, it } from 'vitest'
import ListTabs from '../../../../../src/renderer/features/watchlist/ListTabs.svelte'
import source from '../../../../../src/renderer/features/watchlist/ListTabs.svelte?raw'
import { openWindow, render } from '../../open-window.ts'
import { TestTransport } from '../../../../kit/transport.ts'

afterEach(() => {
  cleanup()
  document.head.querySelector('style[data-test]')?.remove()
})

it('the options of a watchlist are not laid out by rules of the button that opens them', async () => {
  const app = openWindow(new TestTransport())
  const { container } = render(ListTabs, { app, hidden: 0 })
  const options = container.querySelector('[role="dialog"]')
  if (options === null) throw new Error('the button opens nothing')
  options.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState: 'open' }))
  await tick()
  expect(options.querySelectorAll('button, input').length).toBeGreaterThan(8)
  // The same class that the component has in this page.
  const scope = /svelte-\w+/.exec(container.querySelector('.pane-head')?.className ?? '')?.[0] ?? ''
  expect(scope).not.toBe('')
  const { css } = compile(source, { cssHash: () => scope })
  const style = document.createElement('style')
  style.dataset['test'] = ''
  style.textContent = css?.code ?? ''
  document.head.append(style)
  const rules = [...(style.sheet?.cssRules ?? [])].filter((rule) => rule instanceof CSSStyleRule)
  expect(rules.some((rule) => container.querySelector(rule.selectorText)?.getAttribute('aria-haspopup'))).toBe(true)
  expect(rules.filter((rule) => options.querySelector(rule.selectorText) !== null)).toEqual([])
  app.close()
})

it('a new watchlist asks for its name, and its tab has the focus afterwards', async () => {
  const app = openWindow(new TestTransport())
  const { container, getByRole } = render(ListTabs, { app, hidden: 0 })
  const add = getByRole('button', { name: 'New list' })
  add.focus()
  await fireEvent.click(add)
  const field = getByRole('textbox', { name: 'List name' })
  expect(document.activeElement).toBe(field)
  await fireEvent.input(field, { target: { value: 'Mine' } })
  await fireEvent.keyDown(field, { key: 'Enter' })
  await tick()
  expect(container.querySelector('input.rename')).toBeNull()
  expect(document.activeElement?.textContent).toBe('Mine')
  app.close()
})
