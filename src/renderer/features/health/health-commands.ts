/** The command of the Health page. */
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../../core/window/command.ts'
import { general, togglePane } from '../../core/window/general.ts'

export const HEALTH_COMMANDS: readonly Command[] = [
  general('health', t('Show or hide Health'), ['F9'], togglePane('health')),
]
