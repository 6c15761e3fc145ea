/** The command of the screener. */
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../../core/window/command.ts'
import { general, togglePane } from '../../core/window/general.ts'

export const SCREENER_COMMANDS: readonly Command[] = [
  general('screener', t('Show or hide the screener'), ['F4'], togglePane('screener')),
]
