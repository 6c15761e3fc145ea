/** The team command. */
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../../core/window/command.ts'
import { general, togglePane } from '../../core/window/general.ts'

export const TEAM_COMMANDS: readonly Command[] = [general('team', t('Show or hide the team'), [], togglePane('team'))]
