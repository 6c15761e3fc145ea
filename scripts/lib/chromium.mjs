// Where a Chromium for the tests and the screenshots is, and how to get one.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

const runs = (file) => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Path of a Chromium: TAPEDECK_CHROMIUM, then PATH, then the usual places; undefined when there is none. */
export function findChromium() {
  const given = process.env.TAPEDECK_CHROMIUM
  if (given) return runs(given) ? given : undefined
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((dir) => NAMES.map((name) => join(dir, name)))
  return [...onPath, ...PLACES].find((file) => existsSync(file) && runs(file))
}

/** Installs Debian's Chromium where that is possible without asking (root and apt-get); says what it does. */
export function installChromium() {
  if (findChromium()) return true
  const apt = process.platform === 'linux' && existsSync('/usr/bin/apt-get') && process.getuid?.() === 0
  if (!apt) return false
  console.log('Installing Chromium for the end-to-end tests (apt-get install chromium) …')
  const options = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  spawnSync('apt-get', ['update', '-qq'], options)
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], options)
  return findChromium() !== undefined
}
