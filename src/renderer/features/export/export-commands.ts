/** The command of exports. */
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'
import { general } from '../../core/window/general.ts'

export const EXPORT_COMMANDS: readonly Command[] = [
  general('export', say('command.export'), ['Alt+E'], (app) => app.openExport()),
]
