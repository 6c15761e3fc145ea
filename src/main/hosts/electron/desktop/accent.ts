/** Follows the system's accent color. */

/** The parts of Electron's `systemPreferences` needed here, so that tests need no Electron. */
export interface SystemAccent {
  /** RRGGBBAA. Throws on systems without an accent color. */
  getAccentColor(): string
  on(event: 'accent-color-changed', listener: (event: unknown, color: string) => void): unknown
  off(event: 'accent-color-changed', listener: (event: unknown, color: string) => void): unknown
  subscribeNotification(event: string, callback: () => void): number
  unsubscribeNotification(id: number): void
}

/** `#rrggbb` of RRGGBBAA, ignoring transparency; null if it isn't a color. */
export function accentOf(rgba: unknown): string | null {
  const found = typeof rgba === 'string' ? /^#?([0-9a-f]{6})(?:[0-9a-f]{2})?$/i.exec(rgba) : null
  return found ? `#${(found[1] ?? '').toLowerCase()}` : null
}

/** Calls back with the color now and on each change, null if there is none. Returns a function that stops it. */
export function followAccent(
  system: SystemAccent,
  platform: NodeJS.Platform,
  tell: (accent: string | null) => void,
): () => void {
  const read = (): string | null => {
    try {
      return accentOf(system.getAccentColor())
    } catch {
      return null // The system has no accent color.
    }
  }
  tell(read())
  if (platform === 'darwin') {
    // Electron has no event for it on macOS.
    const id = system.subscribeNotification('AppleColorPreferencesChangedNotification', () => tell(read()))
    return () => system.unsubscribeNotification(id)
  }
  const changed = (_event: unknown, color: string): void => tell(accentOf(color) ?? read())
  system.on('accent-color-changed', changed)
  return () => void system.off('accent-color-changed', changed)
}
