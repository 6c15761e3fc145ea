/** The settings of the desktop around the windows. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { settingsSection } from '../../core/settings/settings.ts'

/** Desktop integration. Ignored by hosts without a desktop. */
const schema = v.object({
  /** Stay in the tray if the last window closes while a real market is being recorded. */
  keepInTray: v.fallback(v.boolean(), true),
  /** Ask before quitting while a real market is being recorded. */
  askOnQuit: v.fallback(v.boolean(), true),
  startAtLogin: v.fallback(v.boolean(), false),
  /** The global shortcut that adds a bookmark, in Electron's notation. Empty for none. */
  bookmarkShortcut: v.fallback(text(40), ''),
})
export type DesktopSettings = v.InferOutput<typeof schema>
export const desktopSettings = settingsSection('desktop', schema)

declare module '../../core/settings/settings.ts' {
  interface Settings {
    desktop: DesktopSettings
  }
}
