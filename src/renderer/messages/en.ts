/** The English catalogue, the one that others translate. Its parts follow the places of the window. */
import { PHRASES } from '../../shared/phrases.ts'
import { account } from './en/account.ts'
import { alerts } from './en/alerts.ts'
import { app } from './en/app.ts'
import { chart } from './en/chart.ts'
import { commands } from './en/commands.ts'
import { dock } from './en/dock.ts'
import { evidence } from './en/evidence.ts'
import { exporting } from './en/exporting.ts'
import { frame } from './en/frame.ts'
import { help } from './en/help.ts'
import { importing } from './en/importing.ts'
import { jobs } from './en/jobs.ts'
import { log } from './en/log.ts'
import { names } from './en/names.ts'
import { palette } from './en/palette.ts'
import { panels } from './en/panels.ts'
import { quote } from './en/quote.ts'
import { replay } from './en/replay.ts'
import { research } from './en/research.ts'
import { sessions } from './en/sessions.ts'
import { settings } from './en/settings.ts'
import { state } from './en/state.ts'
import { tape } from './en/tape.ts'
import { watchlist } from './en/watchlist.ts'

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
