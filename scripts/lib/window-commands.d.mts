/** Every command of the window, in the order of its features. */
export const COMMANDS: readonly { readonly id: string; readonly keys: readonly string[] }[]
