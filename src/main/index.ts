/** Root: the Electron app; with a command's name as its first word, the command line without a window. */
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, dialog, shell } from 'electron'
import { findCommandLine } from './hosts/cli/find-command.ts'
import { runProcess } from './hosts/cli/process.ts'
import { windowOptions } from './hosts/cli/window-options.ts'
import { runElectronCommand } from './hosts/electron/command.ts'
import { webAddressesOnly } from './hosts/electron/security.ts'
import { runElectronApp } from './hosts/electron/app.ts'
import { protectHome } from './base/private-files.ts'
import { homeOf } from './core/settings/portable.ts'
import { installedUpdater } from './hosts/electron/updater.ts'
import { openTerminal } from './hosts/open-terminal.ts'

const devUrl = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL

const workers = {
  store: new URL('./store-worker.js', import.meta.url),
  reader: new URL('./reader-worker.js', import.meta.url),
  imports: new URL('./import-worker.js', import.meta.url),
  simulator: new URL('./simulator-worker.js', import.meta.url),
}
const demoData = new URL('../../resources/demo/', import.meta.url)
const icons = fileURLToPath(new URL('../../resources/icons/', import.meta.url))
const rendererDir = fileURLToPath(new URL('../renderer', import.meta.url))

/** The words after the program; while developing the first of them is the app's own folder. */
function words(): string[] {
  const given = process.argv.slice(1)
  return given[0] !== undefined && resolve(given[0]) === resolve(app.getAppPath()) ? given.slice(1) : given
}

const isFile = (word: string): boolean => statSync(word, { throwIfNoEntry: false })?.isFile() === true

function openWindow(): void {
  const place = homeOf(words(), {
    path: app.isPackaged ? process.execPath : app.getAppPath(),
    platform: process.platform,
    home: homedir(),
    env: process.env,
  })
  protectHome(place)
  const { folder: home, portable } = place
  runElectronApp({
    home,
    portable,
    preload: fileURLToPath(new URL('../preload/index.cjs', import.meta.url)),
    rendererDir,
    icons,
    devUrl,
    start: async (desktop) =>
      openTerminal({
        sample: true,
        ...windowOptions(words(), process.env),
        updater: await installedUpdater(app.isPackaged, process.resourcesPath, desktop.install),
        dataDir: home,
        portable,
        host: 'electron',
        version: app.getVersion(),
        workers,
        demoData,
        notify: desktop.notify,
        chooseFolder: async (from) => {
          const { canceled, filePaths } = await dialog.showOpenDialog({
            title: 'Choose a folder',
            defaultPath: from,
            properties: ['openDirectory', 'createDirectory'],
          })
          return canceled ? null : (filePaths[0] ?? null)
        },
        openExternal: webAddressesOnly((url) => shell.openExternal(url)),
      }),
  })
}

const command = findCommandLine(words(), isFile)
if (command === null) openWindow()
else {
  const places = { version: app.getVersion(), workers, demoData, rendererDir, program: process.execPath }
  void runElectronCommand(app, process.platform, (exit) => runProcess(command, places, exit))
}
