/** A command of the window. */
import type { CommandOf } from './command-table.ts'
import type { WindowState } from './window.svelte.ts'

export type Command = CommandOf<WindowState>
