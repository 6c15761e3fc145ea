// The folder package: where it lies, its files without the asar around them, and stories played on these.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { extractAll } from '@electron/asar'
import { findChromium } from './chromium.mjs'
import { pinnedNode, root } from './ensure.mjs'

/** The folder that electron-builder made for this system, and where its asar lies; undefined: none was made. */
export function packed() {
  const dist = join(root, 'dist')
  const made = existsSync(dist) ? readdirSync(dist).find((name) => /-unpacked$|^mac/.test(name)) : undefined
  if (!made) return undefined
  const app = join(dist, made)
  const resources =
    process.platform === 'darwin' ? join(app, 'Tapedeck.app', 'Contents', 'Resources') : join(app, 'resources')
  return { app, resources, asar: join(resources, 'app.asar') }
}

/** The packed files as a folder, for a system where no real Electron reads the asar. */
export function unpack({ asar }) {
  const folder = join(root, 'dist', 'from-asar')
  rmSync(folder, { recursive: true, force: true })
  extractAll(asar, folder)
  if (existsSync(`${asar}.unpacked`)) cpSync(`${asar}.unpacked`, folder, { recursive: true })
  return folder
}

/** Plays specs of tests/e2e in a host on packed files; answers whether all held. */
export function playOn(folder, project, specs) {
  const playwright = join(root, 'node_modules', '@playwright', 'test', 'cli.js')
  const env = { ...process.env, TAPEDECK_APP: folder, TAPEDECK_CHROMIUM: findChromium() ?? '' }
  const args = [playwright, 'test', `--project=${project}`, '--reporter=list', '--workers=1', '--trace=off', ...specs]
  return spawnSync(pinnedNode(), args, { cwd: root, env, stdio: 'inherit' }).status === 0
}
