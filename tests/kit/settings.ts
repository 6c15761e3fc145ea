/** Settings for tests: those of every feature. */
import * as settings from '../../src/shared/core/settings/settings.ts'
import { chartTemplates } from '../../src/shared/features/chart/templates.ts'
import { desktopSettings } from '../../src/shared/features/desktop/settings.ts'
import { drawingSettings } from '../../src/shared/features/drawings/settings.ts'
import { exportSettings } from '../../src/shared/features/export/settings.ts'
import { researchSettings } from '../../src/shared/features/research/settings.ts'
import { screenerSettings } from '../../src/shared/features/screener/screen.ts'
import { teamSettings } from '../../src/shared/features/team/settings.ts'
import { updateSettings } from '../../src/shared/features/updates/settings.ts'
import { workspaceSettings } from '../../src/shared/features/workspace/settings.ts'

export const FEATURE_SETTINGS: readonly settings.SettingsSection[] = [
  exportSettings,
  workspaceSettings,
  chartTemplates,
  drawingSettings,
  researchSettings,
  teamSettings,
  updateSettings,
  desktopSettings,
  screenerSettings,
]
const sections = settings.withCoreSections(FEATURE_SETTINGS)

export const DEFAULT_SETTINGS = settings.parseSettings(sections, {})
export const mergeSettings = (now: settings.Settings, patch: settings.SettingsPatch): settings.Settings =>
  settings.mergeSettings(sections, now, patch)
