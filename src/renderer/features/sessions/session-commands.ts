/** The command of sessions. */
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'
import { general, togglePane } from '../../core/window/general.ts'

export const SESSION_COMMANDS: readonly Command[] = [
  general('sessions', say('command.sessions'), ['Alt+S'], togglePane('sessions')),
]
