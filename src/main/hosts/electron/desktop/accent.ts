/** The accent colour that the user gave to the system, as it changes. */

/** What of Electron's `systemPreferences` tells of it; narrow, so that it can be tested without Electron. */
export interface SystemAccent {
  /** RRGGBBAA; older systems have none and throw. */
  getAccentColor(): string
  on(event: 'accent-color-changed', listener: (event: unknown, color: string) => void): unknown
  off(event: 'accent-color-changed', listener: (event: unknown, color: string) => void): unknown
  subscribeNotification(event: string, callback: () => void): number
  unsubscribeNotification(id: number): void
}

/** `#rrggbb` of RRGGBBAA, whose transparency counts for nothing here; null: no colour. */
export function accentOf(rgba: unknown): string | null {
  const found = typeof rgba === 'string' ? /^#?([0-9a-f]{6})(?:[0-9a-f]{2})?$/i.exec(rgba) : null
  return found ? `#${(found[1] ?? '').toLowerCase()}` : null
}

/** Tells the colour now and whenever it changes, null where the system has none; answers its undo. */
export function followAccent(
  system: SystemAccent,
  platform: NodeJS.Platform,
  tell: (accent: string | null) => void,
): () => void {
  const read = (): string | null => {
    try {
      return accentOf(system.getAccentColor())
    } catch {
      return null // a system without an accent of its own
    }
  }
  tell(read())
  if (platform === 'darwin') {
    // macOS has no event of its own for it.
    const id = system.subscribeNotification('AppleColorPreferencesChangedNotification', () => tell(read()))
    return () => system.unsubscribeNotification(id)
  }
  const changed = (_event: unknown, color: string): void => tell(accentOf(color) ?? read())
  system.on('accent-color-changed', changed)
  return () => void system.off('accent-color-changed', changed)
}
