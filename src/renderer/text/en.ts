/** The English catalogue, the one that others translate. Its parts follow the places of the window. */
import { PHRASES } from '../../shared/phrases.ts'
import { account } from '../core/account/messages.ts'
import { alerts } from '../features/alerts/messages.ts'
import { app } from './app.ts'
import { chart } from '../features/chart/messages.ts'
import { commands } from '../core/frame/command-messages.ts'
import { dock } from '../features/workspace/messages.ts'
import { evidence } from '../features/evidence/messages.ts'
import { exporting } from '../features/export/messages.ts'
import { frame } from '../core/frame/messages.ts'
import { help } from '../features/help/messages.ts'
import { importing } from '../features/import/messages.ts'
import { jobs } from '../core/jobs/messages.ts'
import { log } from '../core/log/messages.ts'
import { names } from './names.ts'
import { palette } from '../features/palette/messages.ts'
import { panels } from './panels.ts'
import { quote } from '../features/quote/messages.ts'
import { replay } from '../features/replay/messages.ts'
import { research } from '../features/research/messages.ts'
import { sessions } from '../features/sessions/messages.ts'
import { settings } from '../core/settings/messages.ts'
import { state } from './state.ts'
import { tape } from '../features/tape/messages.ts'
import { watchlist } from '../features/watchlist/messages.ts'

export const en = {
  ...account,
  ...alerts,
  ...app,
  ...chart,
  ...commands,
  ...dock,
  ...evidence,
  ...exporting,
  ...frame,
  ...help,
  ...importing,
  ...jobs,
  ...log,
  ...names,
  ...palette,
  ...panels,
  ...quote,
  ...replay,
  ...research,
  ...sessions,
  ...settings,
  ...state,
  ...tape,
  ...watchlist,
  ...PHRASES,
} as const
