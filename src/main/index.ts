/** Root: the Electron app. */
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { app, dialog, shell } from 'electron'
import { runElectronApp } from './electron/app.ts'
import { appHome } from './settings/paths.ts'
import { createTerminal } from './terminal.ts'

const home = appHome({ platform: process.platform, home: homedir(), env: process.env })
const devUrl = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL

runElectronApp({
  home,
  preload: fileURLToPath(new URL('../preload/index.cjs', import.meta.url)),
  rendererDir: fileURLToPath(new URL('../renderer', import.meta.url)),
  devUrl,
  start: () =>
    createTerminal({
      dataDir: home,
      host: 'electron',
      version: app.getVersion(),
      workers: {
        store: new URL('./store-worker.js', import.meta.url),
        reader: new URL('./reader-worker.js', import.meta.url),
        simulator: new URL('./simulator-worker.js', import.meta.url),
      },
      demoData: new URL('../../resources/demo/', import.meta.url),
      chooseFolder: async (from) => {
        const { canceled, filePaths } = await dialog.showOpenDialog({
          title: 'Export to',
          defaultPath: from,
          properties: ['openDirectory', 'createDirectory'],
        })
        return canceled ? null : (filePaths[0] ?? null)
      },
      openExternal: async (url) => {
        if (/^https?:$/.test(new URL(url).protocol)) await shell.openExternal(url)
      },
    }),
})
