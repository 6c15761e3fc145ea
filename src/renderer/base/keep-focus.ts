/** Keeps the keyboard's focus in a dialog whose focused control is gone. */

const FIELDS = ['input', 'select', 'textarea']
const enabled = (selectors: readonly string[]): string => selectors.map((one) => `${one}:not(:disabled)`).join()
const inBody = (selectors: readonly string[]): string => enabled(selectors.map((one) => `.body ${one}`))
const STOPS = [...FIELDS, 'a[href]', 'button', 'summary', '[tabindex="0"]']

/** The control to go to from `lost`, which was removed or disabled. */
function nextStop(within: HTMLElement, lost: HTMLElement): HTMLElement | null {
  if (within.contains(lost)) {
    const stops = [...within.querySelectorAll<HTMLElement>(enabled(STOPS))]
    const after = stops.find((stop) => lost.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING)
    return after ?? stops.at(-1) ?? null
  }
  // Another stage of the dialog: what it begins with, or the button that goes on.
  return (
    within.querySelector<HTMLElement>(inBody(FIELDS)) ??
    within.querySelector<HTMLElement>(inBody(['.primary'])) ??
    within.querySelector<HTMLElement>(inBody(STOPS))
  )
}

/**
 * Moves the focus to another control of `node` when the focused one is removed or disabled; otherwise it falls to the
 * page behind, where no key reaches the dialog. Leaves it alone after a click beside every control. Returns how to stop.
 */
export function keepFocus(node: HTMLElement): () => void {
  let last: HTMLElement | null = null
  const isGone = (one: HTMLElement): boolean => !node.contains(one) || one.matches(':disabled')
  const isLost = (): boolean => node.ownerDocument.activeElement === node.ownerDocument.body
  const onfocusin = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement) last = target
  }
  const onpointerdown = ({ target }: Event): void => {
    // A click on the focused control moves no focus, so it stays the one to go on from.
    if (!(target instanceof Node && last?.contains(target))) last = null
  }
  const changes = new MutationObserver(() => {
    if (last === null || !isGone(last)) return
    const { activeElement } = node.ownerDocument
    // A disabled control may still be the active element.
    if (isLost() || activeElement === last) nextStop(node, last)?.focus()
  })
  changes.observe(node, { childList: true, subtree: true, attributeFilter: ['disabled'] })
  node.addEventListener('focusin', onfocusin)
  node.addEventListener('pointerdown', onpointerdown)
  return () => {
    changes.disconnect()
    node.removeEventListener('focusin', onfocusin)
    node.removeEventListener('pointerdown', onpointerdown)
  }
}
