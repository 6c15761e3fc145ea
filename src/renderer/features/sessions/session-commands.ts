/** The sessions command. */
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../../core/window/command.ts'
import { general, togglePane } from '../../core/window/general.ts'

export const SESSION_COMMANDS: readonly Command[] = [
  general('sessions', t('Show or hide recorded sessions'), ['Alt+S'], togglePane('sessions')),
]
