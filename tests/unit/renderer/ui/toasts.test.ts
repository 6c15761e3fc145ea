import '../browser-stubs.ts'
import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { describe, expect, it, vi } from 'vitest'
import ToastList from '../../../../src/renderer/ui/ToastList.svelte'
import { Toasts, undoing } from '../../../../src/renderer/ui/toasts.svelte.ts'

// jsdom has no popovers: one that is shown is an element like others.
HTMLElement.prototype.showPopover ??= function show(this: HTMLElement) {
  this.removeAttribute('popover')
}

/** Toasts with a clock that is moved by hand. */
function clocked() {
  let now = 0
  const waiting: { at: number; run: () => void }[] = []
  const toasts = new Toasts(
    () => now,
    (run, ms) => waiting.push({ at: now + ms, run }),
  )
  const pass = (ms: number) => {
    now += ms
    for (const one of waiting.filter(({ at }) => at <= now)) {
      waiting.splice(waiting.indexOf(one), 1)
      one.run()
    }
  }
  return { toasts, pass }
}
const texts = (toasts: Toasts) => toasts.list.map(({ text }) => text)

describe('messages', () => {
  it('go after their time, but not from under the mouse or the focus', () => {
    const { toasts, pass } = clocked()
    toasts.show('free')
    pass(8_000)
    expect(texts(toasts)).toEqual([])
    toasts.show('held')
    const [held] = toasts.list
    toasts.hold(held?.id ?? 0)
    pass(60_000)
    for (const text of ['a', 'b', 'c', 'd']) toasts.show(text)
    expect(toasts.shown?.text).toBe('held')
    toasts.release()
    expect(texts(toasts)).toContain('held')
    expect(toasts.shown?.text).toBe('d')
    pass(4_000)
    expect(texts(toasts)).not.toContain('held')
  })
  it('that are let go in time go at their time', () => {
    const { toasts, pass } = clocked()
    toasts.show('one')
    toasts.hold(toasts.list[0]?.id ?? 0)
    pass(3_000)
    toasts.release()
    pass(5_000)
    expect(texts(toasts)).toEqual([])
  })
  it('can be undone, newest first and once, for as long as there is something to undo', () => {
    const { toasts, pass } = clocked()
    const done: string[] = []
    let there = true
    toasts.show('first', { action: undoing(() => done.push('first')) })
    toasts.show('second', {
      action: undoing(
        () => done.push('second'),
        () => there,
      ),
    })
    toasts.show('third', { action: { label: 'Change', run: () => done.push('third') } })
    pass(60_000)
    there = false
    expect(toasts.undoLast()).toBe(true)
    expect(done).toEqual(['first'])
    expect(toasts.undoLast()).toBe(false)
    there = true
    expect(toasts.undoLast()).toBe(true)
    expect(toasts.undoLast()).toBe(false)
    expect(done).toEqual(['first', 'second'])
  })
})

describe('the line of messages', () => {
  it('holds what has the focus, gives the focus back, and keeps actions in the list of all', async () => {
    const { toasts, pass } = clocked()
    const run = vi.fn()
    document.body.innerHTML = '<button id="elsewhere"></button>'
    const elsewhere = document.getElementById('elsewhere')
    render(ToastList, { toasts, undoTitle: 'Undo (Alt+P)' })
    toasts.show('gone', { action: undoing(run) })
    await tick()
    const undo = within(screen.getByTestId('toast')).getByRole('button', { name: 'Undo' })
    expect(undo.title).toBe('Undo (Alt+P)')
    elsewhere?.focus()
    await fireEvent.focusIn(undo, { relatedTarget: elsewhere })
    undo.focus()
    pass(60_000)
    await tick()
    expect(screen.getByTestId('toast').textContent).toContain('gone')
    await fireEvent.click(within(screen.getByTestId('toast')).getByRole('button', { name: 'Dismiss' }))
    expect(screen.queryByTestId('toast')).toBeNull()
    expect(document.activeElement).toBe(elsewhere)
    // The list of all opens from the bell; what was put away can still be undone there.
    expect(toasts.told.map((one) => toasts.can(one))).toEqual([true])
    expect(toasts.undoLast()).toBe(true)
    expect(run).toHaveBeenCalledOnce()
  })

  it('takes the focus by a key, and is put away by a choice of its menu, before that is done', async () => {
    const { toasts } = clocked()
    document.body.innerHTML = '<button id="elsewhere"></button>'
    const elsewhere = document.getElementById('elsewhere')
    render(ToastList, { toasts, undoTitle: '' })
    const shown: (string | undefined)[] = []
    const entries = () => [{ text: 'For an hour', run: () => shown.push(toasts.shown?.text) }]
    toasts.show('fired', { menu: { label: 'Snooze', entries } })
    await tick()
    elsewhere?.focus()
    toasts.asked++
    await tick()
    await tick()
    const snooze = within(screen.getByTestId('toast')).getByRole('button', { name: 'Snooze' })
    expect(document.activeElement).toBe(snooze)
    await fireEvent.click(snooze)
    await fireEvent.click(screen.getByRole('menuitem', { name: 'For an hour' }))
    expect(shown).toEqual([undefined])
    expect(screen.queryByTestId('toast')).toBeNull()
    expect(document.activeElement).toBe(elsewhere)
  })
})
