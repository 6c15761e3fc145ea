/** The size of the text of this window, for what is placed or painted by number and not by styles. */

let scale = $state(1)

/** How large texts are: 1 is the usual size, 1.5 stands for 150 %. Reactive. */
export const textScale = (): number => scale

/** Told by the root of the window whenever it wears another size. */
export function useTextScale(next: number): void {
  scale = next
}
