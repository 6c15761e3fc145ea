/** Handles keys for the whole window. Panes that handle a key stop its propagation first. */
import { t } from '../../../shared/base/text.ts'
import { INTERVAL_EXAMPLES, parseInterval } from '../../../shared/core/market/market.ts'
import type { WindowState } from './window.svelte.ts'

/** Whether the text isn't finished although it reads as an interval, or would with one more letter: 250m for 250ms. */
export const isBegun = (typed: string): boolean => /m$/i.test(typed) && parseInterval(`${typed}s`) !== undefined

const TYPING_MS = 900

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  )
}
/** Elements where Space and Enter already have a meaning. */
const PRESSABLE = 'button, a, summary, [role="tab"], [role="radio"]'
function isPressable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(PRESSABLE) !== null
}
/** Elements that are already selected, where Space would do nothing. */
const CHOSEN = '[role="tab"][aria-selected="true"], [role="radio"][aria-checked="true"]'
function isChosen(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(PRESSABLE)?.matches(CHOSEN) === true
}
/** Keys that move a caret, if nothing else. */
const ARROW = /^Arrow/
/** Keys that first apply to a focused caret or scrollbar, and only otherwise to a replay. */
const MOVES = /^(Arrow|Home|End|Page)/
function movesItself(target: EventTarget | null): boolean {
  if (isTyping(target)) return true
  if (!(target instanceof HTMLElement) || target.closest('[data-transport]')) return false
  return target.tabIndex >= 0 && !isPressable(target)
}

/**
 * Keys that the dock handles on its tabs although the window needs them: arrows with Ctrl, Alt or Cmd, and Space on the
 * active tab, where it would have no effect.
 */
function isTabChord({ key, target, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  if (!(target instanceof Element) || target.closest('.dv-tab') === null) return false
  return ctrlKey || altKey || metaKey || (key === ' ' && isChosen(target))
}

/** Whether an element is a text field, whose keys always come first. */
function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(button|checkbox|radio|range|reset|submit)$/.test(target.type)
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable)
}
/** Controls outside the transport bar that `End` moves. */
const OWN_END = '[role="separator"], [role="slider"]:not([data-transport] *)'
/** Keys that move the focus to a control. Any other key is for using it. */
const REACHES = /^(Tab|Arrow|Home|End|Page|F6)/

/**
 * Handles the replay keys that work wherever the focus is, before anything else sees them: Space plays and End goes to
 * the end. Text fields come first. So does a control that was reached by keyboard, for Space. A control that was
 * clicked keeps the focus, but the user is done with it, so Space plays.
 */
export function replayKeys(app: WindowState): { keydown(event: KeyboardEvent): void; pointerdown(): void } {
  let isByKeyboard = true
  return {
    pointerdown() {
      isByKeyboard = false
    },
    keydown(event) {
      const { key, target } = event
      const command = app.view === 'live' ? undefined : app.commands.commandOf(event, true)
      const isOurs = command?.id === 'replay-play' || command?.id === 'replay-end'
      if (!isOurs || event.isComposing || app.dialog !== null || isTextField(target)) {
        if (REACHES.test(key)) isByKeyboard = true
        return
      }
      if (document.querySelector('dialog[open], [data-open]') !== null) return
      if (key === ' ') {
        const isPressed = isPressable(target) || isTyping(target)
        if (isPressed && isByKeyboard && !isChosen(target)) return
      } else if (target instanceof Element && target.closest(OWN_END) !== null) return
      event.preventDefault()
      event.stopPropagation()
      command.run(app)
    },
  }
}

export interface WindowKeys {
  keydown(event: KeyboardEvent): void
  /** Enter and Escape end a typed interval before a list with the focus would take them. */
  first(event: KeyboardEvent): void
}

/** Creates the window's key handlers. */
export function windowKeys(app: WindowState): WindowKeys {
  let timer: ReturnType<typeof setTimeout> | undefined

  function endInterval(): void {
    clearTimeout(timer)
    const typed = app.intervalTyped
    app.intervalTyped = ''
    const interval = parseInterval(typed)
    if (interval) app.setInterval(interval)
    else if (typed !== '')
      app.toasts.show(t('Unknown interval “{typed}”. Try {examples}.', { typed, examples: INTERVAL_EXAMPLES }))
  }
  function typeInterval(character: string): void {
    app.intervalTyped = (app.intervalTyped + character).slice(0, 7)
    clearTimeout(timer)
    const { intervalTyped: typed } = app
    // A mistyped letter waits like a digit, so that what follows it is refused with it.
    if (/[a-z]$/i.test(typed) && parseInterval(typed) !== undefined && !isBegun(typed)) endInterval()
    else timer = setTimeout(endInterval, TYPING_MS)
  }

  const isBare = (event: KeyboardEvent): boolean => !event.ctrlKey && !event.metaKey && !event.altKey
  const inDialog = (): boolean => app.dialog !== null || document.querySelector('dialog[open], [data-open]') !== null

  function first(event: KeyboardEvent): void {
    if (app.intervalTyped === '' || event.isComposing || !isBare(event) || isTyping(event.target) || inDialog()) return
    if (event.key === 'Enter') endInterval()
    else if (event.key === 'Escape') {
      clearTimeout(timer)
      app.intervalTyped = ''
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  function keydown(event: KeyboardEvent): void {
    if (event.isComposing || (event.defaultPrevented && !isTabChord(event))) return
    const bare = isBare(event)
    if (inDialog()) return
    const command = app.commands.commandOf(event, app.view !== 'live')
    if (isTyping(event.target) && (bare || !command)) return
    // Arrows with Ctrl move nothing but a caret: what handles them has stopped them.
    const isFree = event.ctrlKey && ARROW.test(event.key) && !isTyping(event.target)
    const isMove = MOVES.test(event.key) && !event.altKey && !isFree
    if (command?.when === 'replay' && isMove && movesItself(event.target)) return

    if (app.intervalTyped !== '' && bare) {
      // A decimal point belongs to the length that is refused with it, so that 0.5s doesn't become 5s.
      if (/^[\da-z.,]$/i.test(event.key)) {
        typeInterval(event.key)
        return event.preventDefault()
      }
    }
    if (command) {
      if (event.key === ' ' && isPressable(event.target) && !isChosen(event.target)) return
      event.preventDefault()
      return command.run(app)
    }
    if (!bare) return
    if (/^\d$/.test(event.key)) {
      event.preventDefault()
      typeInterval(event.key)
    } else if (/^[a-z]$/i.test(event.key)) {
      event.preventDefault()
      app.openSymbolBox(event.key)
    }
  }

  return { keydown, first }
}
