/** The texts that code without a window writes, for the window's catalog: the tables of all features in one. */
import { GAP_TEXTS } from './core/status/gap-texts.ts'
import { ALERT_TEXTS } from './features/alerts/texts.ts'
import { DRAWING_TEXTS } from './features/drawings/texts.ts'
import { EXPORTING_TEXTS } from './features/export/texts.ts'
import { WORKSPACE_TEXTS } from './features/workspace/texts.ts'

export const PHRASES = {
  ...ALERT_TEXTS,
  ...DRAWING_TEXTS,
  ...EXPORTING_TEXTS,
  ...GAP_TEXTS,
  ...WORKSPACE_TEXTS,
} as const
