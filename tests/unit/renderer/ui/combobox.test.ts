import '../browser-stubs.ts'
import { cleanup, fireEvent, render } from '@testing-library/svelte'
import { createRawSnippet, tick } from 'svelte'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import Combobox from '../../../../src/renderer/ui/form/Combobox.svelte'

Element.prototype.scrollIntoView ??= () => undefined

interface Option {
  readonly id: string
  readonly isDisabled?: boolean
}
const text = (content: string) => createRawSnippet(() => ({ render: () => `<span>${content}</span>` }))
const sections = [
  { title: 'Recent', options: [{ id: 'a' }] },
  { title: null, options: [{ id: 'b', isDisabled: true }, ...[...'cdefghijkl'].map((id) => ({ id }))] },
] satisfies readonly { title: string | null; options: readonly Option[] }[]

describe('a combobox', () => {
  const picked: string[] = []
  const asked = vi.fn()
  beforeEach(() => {
    picked.length = 0
    asked.mockReset()
    vi.useFakeTimers()
    return () => {
      vi.useRealTimers()
      cleanup()
    }
  })
  function show(options: { answered?: boolean; sections?: typeof sections } = {}) {
    const before = document.body.appendChild(document.createElement('button'))
    before.focus()
    const props = {
      label: 'Symbol',
      placeholder: 'Symbol',
      maxlength: 64,
      text: '',
      open: false,
      sections,
      answered: true,
      onask: asked,
      onpick: ({ id }: Option, add: boolean) => void picked.push(add ? `${id}+` : id),
      isDisabled: (one: Option) => one.isDisabled === true,
      icon: text('+'),
      option: createRawSnippet((one: () => Option) => ({ render: () => `<span>${one().id}</span>` })),
      none: text('No symbols'),
      ...options,
    }
    const view = render(Combobox, { props })
    const box = view.getByRole('combobox')
    const press = (key: string, more = {}) => fireEvent.keyDown(box, { key, ...more })
    const selected = () => {
      const all = view.queryAllByRole('option', { selected: true })
      expect(all.length).toBe(1)
      expect(box.getAttribute('aria-activedescendant')).toBe(all[0]?.id)
      return all[0]?.textContent?.trim()
    }
    return { ...view, before, box, press, selected }
  }

  it('opens with its first option selected, and asks once for several letters', async () => {
    const { box, selected, queryByRole } = show()
    expect(queryByRole('listbox')).toBeNull()
    box.focus()
    await fireEvent.input(box, { target: { value: 'b' } })
    await fireEvent.input(box, { target: { value: 'bt' } })
    expect(box.getAttribute('aria-expanded')).toBe('true')
    expect(queryByRole('group', { name: 'Recent' })).not.toBeNull()
    expect(selected()).toBe('a')
    vi.runAllTimers()
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('moves its list left if that would leave the window', async () => {
    const right = window.innerWidth + 75
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ right } as DOMRect) // what it reads
    onTestFinished(() => void vi.restoreAllMocks())
    const { box, container } = show()
    box.focus()
    await tick()
    expect(container.querySelector<HTMLElement>('.popup')?.style.left).toBe('-87px')
  })

  it('moves through its options by keys, around both ends and by pages', async () => {
    const { box, press, selected } = show()
    box.focus()
    await tick()
    for (const [key, id] of [
      ['ArrowUp', 'l'],
      ['ArrowDown', 'a'],
      ['ArrowDown', 'b'],
      ['PageDown', 'j'],
      ['PageDown', 'l'],
      ['PageUp', 'd'],
      ['PageUp', 'a'],
    ] as const) {
      await press(key)
      expect(selected(), key).toBe(id)
    }
  })

  it('picks by Enter and by mouse, but no disabled option', async () => {
    const { box, press, getByText } = show()
    box.focus()
    await tick()
    await press('Enter')
    await press('ArrowDown')
    await press('Enter')
    await press('ArrowDown')
    await press('Enter', { ctrlKey: true })
    await fireEvent.click(getByText('e'))
    expect(picked).toEqual(['a', 'c+', 'e'])
  })

  it('waits for the options of its text when Enter comes first', async () => {
    const { box, press, rerender } = show({ answered: false })
    box.focus()
    await tick()
    await press('Enter', { ctrlKey: true })
    expect(picked).toEqual([])
    await rerender({ answered: true, sections: [{ title: null, options: [{ id: 'late' }] }] })
    expect(picked).toEqual(['late+'])
  })

  it('returns the focus on Escape, and says when there is nothing', async () => {
    const { before, box, press, queryByRole, queryByText } = show({ sections: [] })
    box.focus()
    await tick()
    expect(queryByText('No symbols')).not.toBeNull()
    expect(box.hasAttribute('aria-activedescendant')).toBe(false)
    await press('Escape')
    expect(document.activeElement).toBe(before)
    expect(queryByRole('listbox')).toBeNull()
  })
})
