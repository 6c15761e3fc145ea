/** Alert files: written beside, synced and renamed, without blocking the market. */
import { renameSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { readWhole } from '../../base/whole-file.ts'
import type { AlertsFile, AlertFiles } from './port.ts'

const NAMES: Readonly<Record<AlertsFile, string>> = {
  alerts: 'alerts.json',
  history: 'alerts-history.json',
  alive: 'alerts-watched.json',
}

/** Files in a folder. One that can't be fully read is renamed to `<name>.bad`. */
export function alertFiles(folder: string): AlertFiles {
  const queues = new Map<AlertsFile, Promise<void>>()
  const write = async (name: AlertsFile, text: string): Promise<void> => {
    const file = join(folder, NAMES[name])
    const draft = `${file}.${process.pid}.tmp`
    makeFolder(folder)
    try {
      const handle = await open(draft, 'w', 0o600)
      try {
        await handle.writeFile(text)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(draft, file)
    } catch (thrown) {
      await rm(draft, { force: true })
      throw thrown
    }
  }
  return {
    load: (name) => readWhole(join(folder, NAMES[name])),
    save(name, text) {
      // In order, so that an older text never overwrites a newer one.
      const before = queues.get(name) ?? Promise.resolve()
      const mine = before.catch(() => undefined).then(() => write(name, text))
      queues.set(name, mine)
      return mine
    },
    setAside(name) {
      const corruptFile = `${NAMES[name]}.bad`
      renameSync(join(folder, NAMES[name]), join(folder, corruptFile))
      return corruptFile
    },
  }
}
