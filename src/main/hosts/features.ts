/** Every feature of the product. What they need comes with them. */
import type { MainFeature } from '../terminal/feature.ts'
import { alerts } from '../features/alerts/feature.ts'
import { api } from '../features/api/feature.ts'
import { desktop } from '../features/desktop/feature.ts'
import { diagnostics } from '../features/diagnostics/feature.ts'
import { drawings } from '../features/drawings/feature.ts'
import { evidence } from '../features/evidence/feature.ts'
import { exporting } from '../features/export/feature.ts'
import { importing } from '../features/import/feature.ts'
import { journal } from '../features/journal/feature.ts'
import { moveStore } from '../features/move-store/feature.ts'
import { replay } from '../features/replay/feature.ts'
import { research } from '../features/research/feature.ts'
import { sample } from '../features/sample/feature.ts'
import { screener } from '../features/screener/feature.ts'
import { sessions } from '../features/sessions/feature.ts'
import { team } from '../features/team/feature.ts'
import { updates } from '../features/updates/feature.ts'
import { watchlist } from '../features/watchlist/feature.ts'
import { workspace } from '../features/workspace/feature.ts'

export const FEATURES: readonly MainFeature[] = [
  exporting,
  importing,
  sessions,
  workspace,
  drawings,
  research,
  replay,
  evidence,
  // Before alerts: the first to subscribe gets the room of a connection, and the watchlists say what is recorded.
  watchlist,
  alerts,
  screener,
  journal,
  api,
  team,
  sample,
  moveStore,
  updates,
  desktop,
  diagnostics,
]
