// The folder package: where it is, how its program is started, and stories played on it.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findChromium } from './chromium.mjs'
import { findElectron } from './electron.mjs'
import { pinnedNode, root } from './ensure.mjs'

/** The folder that electron-builder made for this system, and the paths in it; undefined: none was made. */
export function packed() {
  const dist = join(root, 'dist')
  const made = existsSync(dist) ? readdirSync(dist).find((name) => /-unpacked$|^mac/.test(name)) : undefined
  if (!made) return undefined
  const app = join(dist, made)
  const resources =
    process.platform === 'darwin' ? join(app, 'Tapedeck.app', 'Contents', 'Resources') : join(app, 'resources')
  const program = { darwin: 'Tapedeck.app/Contents/MacOS/Tapedeck', win32: 'Tapedeck.exe' }[process.platform]
  return { app, resources, asar: join(resources, 'app.asar'), program: join(app, program ?? 'tapedeck') }
}

/**
 * How to start the packed program, as a command and its first arguments: its own executable where it was packed with a
 * real Electron, else the one that ELECTRON_OVERRIDE_DIST_PATH names, which is given the folder. Both read app.asar
 * itself. Undefined: there is no package, or no Electron to run it.
 */
export function packedProgram() {
  const made = packed()
  if (!made) return undefined
  if (findElectron({})) return { command: made.program, args: [] }
  const standIn = findElectron()
  return standIn ? { command: standIn, args: [made.app] } : undefined
}

/** Plays specs of tests/e2e in a host, on the packed program; returns whether all passed. */
export function playOnPacked(project, specs) {
  const playwright = join(root, 'node_modules', '@playwright', 'test', 'cli.js')
  const env = { ...process.env, TAPEDECK_PACKED: '1', TAPEDECK_CHROMIUM: findChromium() ?? '' }
  const args = [playwright, 'test', `--project=${project}`, '--reporter=list', '--workers=1', '--trace=off', ...specs]
  return spawnSync(pinnedNode(), args, { cwd: root, env, stdio: 'inherit' }).status === 0
}
