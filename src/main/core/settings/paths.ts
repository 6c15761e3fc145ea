/** Where the app keeps its files: one folder shared by every host. */
import { join } from 'node:path'

/** The inputs that determine the folder; injected for tests. */
export interface Surroundings {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The app's own folder: `TAPEDECK_HOME` if set, else `~/Library/Application Support/Tapedeck` on
 * macOS, `%APPDATA%\Tapedeck` on Windows, `${XDG_DATA_HOME:-~/.local/share}/tapedeck` elsewhere.
 */
export function appHome({ platform, home, env }: Surroundings): string {
  if (env.TAPEDECK_HOME) return env.TAPEDECK_HOME
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Tapedeck')
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Tapedeck')
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'tapedeck')
}

/** The app's own store, unless the settings name another. */
export function defaultStorePath(dataDir: string): string {
  return join(dataDir, 'tapedeck.db')
}
