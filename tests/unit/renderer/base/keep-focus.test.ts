// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepFocus } from '../../../../src/renderer/base/keep-focus.ts'

let dialog: HTMLElement
let stop: () => void
beforeEach(() => {
  document.body.innerHTML = `<div id="dialog"><button id="close"></button>
    <div class="body"><input id="path"><button id="move"></button><input id="days"></div></div>`
  dialog = of('dialog')
  stop = keepFocus(dialog)
})
afterEach(() => {
  stop()
  document.body.replaceChildren()
})
const of = (id: string) => document.getElementById(id) as HTMLInputElement // of this page
/** Observers run as microtasks. */
const focused = async () => {
  await Promise.resolve()
  return document.activeElement?.id
}

it('moves on from a control that is disabled, as a form is while it works', async () => {
  of('path').focus()
  of('path').disabled = true
  of('move').disabled = true
  expect(await focused()).toBe('days')
})

it('begins the next stage of a dialog at its first field, or else at the button that goes on', async () => {
  const body = dialog.querySelector('.body')
  of('move').focus()
  body?.replaceChildren(Object.assign(document.createElement('input'), { id: 'symbol' }))
  expect(await focused()).toBe('symbol')
  const [back, next] = ['back', 'next'].map((id) => Object.assign(document.createElement('button'), { id }))
  next.className = 'primary'
  body?.replaceChildren(back, next)
  expect(await focused()).toBe('next')
})

it('leaves the focus alone after a click beside every control, and where another control has it', async () => {
  of('move').focus()
  of('days').focus()
  of('move').remove()
  expect(await focused()).toBe('days')
  dialog.dispatchEvent(new Event('pointerdown', { bubbles: true }))
  of('days').remove()
  expect(await focused()).toBe('')
})

it('moves on from a control that was clicked while it had the focus', async () => {
  of('move').innerHTML = '<span id="label"></span>'
  of('move').focus()
  of('label').dispatchEvent(new Event('pointerdown', { bubbles: true }))
  of('move').disabled = true
  expect(await focused()).toBe('days')
})
