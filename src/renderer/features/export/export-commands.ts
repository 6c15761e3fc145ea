/** The export command. */
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../../core/window/command.ts'
import { general } from '../../core/window/general.ts'

export const EXPORT_COMMANDS: readonly Command[] = [
  general('export', t('Export…'), ['Alt+E'], (app) => app.openExport()),
]
