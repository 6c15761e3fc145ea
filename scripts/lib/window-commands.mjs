import { GENERAL_COMMANDS } from '../../src/renderer/core/window/general.ts'
import { THEME_COMMANDS } from '../../src/renderer/core/theme/theme-commands.ts'
import { alertCommands } from '../../src/renderer/features/alerts/alert-commands.ts'
import { CHART_COMMANDS } from '../../src/renderer/features/chart/chart-commands.ts'
import { drawingCommands } from '../../src/renderer/features/drawings/drawing-commands.ts'
import { evidenceCommands } from '../../src/renderer/features/evidence/evidence-commands.ts'
import { EXPORT_COMMANDS } from '../../src/renderer/features/export/export-commands.ts'
import { HEALTH_COMMANDS } from '../../src/renderer/features/health/health-commands.ts'
import { IMPORT_COMMANDS } from '../../src/renderer/features/import/import-commands.ts'
import { journalCommands } from '../../src/renderer/features/journal/journal-commands.ts'
import { replayCommands } from '../../src/renderer/features/replay/replay-commands.ts'
import { RESEARCH_COMMANDS } from '../../src/renderer/features/research/research-commands.ts'
import { SCREENER_COMMANDS } from '../../src/renderer/features/screener/screener-commands.ts'
import { SESSION_COMMANDS } from '../../src/renderer/features/sessions/session-commands.ts'
import { tapeCommands } from '../../src/renderer/features/tape/tape-commands.ts'
import { TEAM_COMMANDS } from '../../src/renderer/features/team/team-commands.ts'
import { WATCHLIST_COMMANDS } from '../../src/renderer/features/watchlist/watchlist-commands.ts'
import { dockCommands } from '../../src/renderer/features/workspace/dock-commands.ts'

/**
 * The commands of every feature, in the order of src/renderer/features.ts: Node can't load that list, as features import
 * components. They are only listed here, so they get no services. A test of the window compares the two.
 */
export const COMMANDS = [
  ...GENERAL_COMMANDS,
  ...SESSION_COMMANDS,
  ...EXPORT_COMMANDS,
  ...IMPORT_COMMANDS,
  ...evidenceCommands(null),
  ...THEME_COMMANDS,
  ...WATCHLIST_COMMANDS,
  ...CHART_COMMANDS,
  ...drawingCommands(null),
  ...tapeCommands(null),
  ...alertCommands(null),
  ...journalCommands(null),
  ...RESEARCH_COMMANDS,
  ...dockCommands(null),
  ...replayCommands(null),
  ...TEAM_COMMANDS,
  ...HEALTH_COMMANDS,
  ...SCREENER_COMMANDS,
]
