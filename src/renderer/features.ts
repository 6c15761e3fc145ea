/** The features of a window. Their order is that of commands and menu entries on screen. */
import { frame } from './core/frame/feature.ts'
import { theme } from './core/theme/feature.ts'
import type { WindowFeature } from './core/window/feature.ts'
import { alerts } from './features/alerts/feature.ts'
import { chart } from './features/chart/feature.ts'
import { desktop } from './features/desktop/feature.ts'
import { diagnostics } from './features/diagnostics/feature.ts'
import { drawings } from './features/drawings/feature.ts'
import { evidence } from './features/evidence/feature.ts'
import { exporting } from './features/export/feature.ts'
import { health } from './features/health/feature.ts'
import { help } from './features/help/feature.ts'
import { importing } from './features/import/feature.ts'
import { journal } from './features/journal/feature.ts'
import { moveStore } from './features/move-store/feature.ts'
import { palette } from './features/palette/feature.ts'
import { quote } from './features/quote/feature.ts'
import { replay } from './features/replay/feature.ts'
import { research } from './features/research/feature.ts'
import { screener } from './features/screener/feature.ts'
import { sessions } from './features/sessions/feature.ts'
import { tape } from './features/tape/feature.ts'
import { team } from './features/team/feature.ts'
import { watchlist } from './features/watchlist/feature.ts'
import { workspace } from './features/workspace/feature.ts'

export const FEATURES: readonly WindowFeature[] = [
  frame,
  sessions,
  exporting,
  importing,
  evidence,
  theme,
  watchlist,
  chart,
  drawings,
  tape,
  alerts,
  journal,
  research,
  workspace,
  replay,
  quote,
  palette,
  help,
  diagnostics,
  moveStore,
  team,
  health,
  screener,
  desktop,
]
