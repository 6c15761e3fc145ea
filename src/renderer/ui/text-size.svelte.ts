/** This window's text size, for elements positioned or painted by code instead of styles. */

let scale = $state(1)

/** The text size relative to the default; 1.5 means 150 %. Reactive. */
export const textScale = (): number => scale

/** Sets the text size. Called by the root of the window when it changes. */
export function useTextScale(next: number): void {
  scale = next
}
