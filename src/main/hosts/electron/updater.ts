/** The updater of an installed app; a sentence where there is none. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { updaterOf } from '../../features/updates/electron-updater.ts'
import type { Updater } from '../../terminal/host.ts'

/** `resources`: the package's folder, which holds an address of updates only if it was built with one. `over`: closes what runs, then begins. */
export async function installedUpdater(
  packaged: boolean,
  resources: string,
  over: (begin: () => void) => void,
): Promise<Updater | { readonly off: string }> {
  if (!packaged) return { off: 'This copy runs from a checkout. Update the checkout instead.' }
  if (!existsSync(join(resources, 'app-update.yml'))) {
    return { off: 'This package was built without an update server. Install new versions yourself.' }
  }
  // Loaded only if it is used.
  const { autoUpdater } = (await import('electron-updater')).default
  const updater = updaterOf(autoUpdater)
  // The installer kills this process within seconds, so everything must be closed and no question may appear.
  return { ...updater, install: () => over(() => updater.install()) }
}
