/** The command of imports. */
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'
import { general } from '../../core/window/general.ts'

export const IMPORT_COMMANDS: readonly Command[] = [
  general('import', say('command.import'), ['Alt+I'], (app) => app.openImport()),
]
