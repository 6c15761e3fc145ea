/** The import command. */
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../../core/window/command.ts'
import { general } from '../../core/window/general.ts'

export const IMPORT_COMMANDS: readonly Command[] = [
  general('import', t('Import…'), ['Alt+I'], (app) => app.openImport()),
]
