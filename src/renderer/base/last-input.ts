/** Whether the keyboard or the pointer was used last. */

let isKeyLast = false

/** Whether the last press in the window was a key. */
export const wasKeyLast = (): boolean => isKeyLast

/** Follows the presses in a window, for its lifetime. */
export function followInput(target: EventTarget): void {
  target.addEventListener('keydown', () => (isKeyLast = true), { capture: true })
  target.addEventListener('pointerdown', () => (isKeyLast = false), { capture: true })
}
