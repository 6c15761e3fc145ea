// Where Electron's binary is, and the one bounded attempt to fetch it.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pinnedNode, root } from './ensure.mjs'

const folder = join(root, 'node_modules', 'electron')
const memory = join(root, 'node_modules', '.cache', 'tapedeck-electron.json')
const LONGEST_FETCH_MS = 60_000

const read = (file) => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined // not fetched yet, or never tried
  }
}

const usual = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }

/** Path of Electron's executable: the one ELECTRON_OVERRIDE_DIST_PATH names, else the fetched one; undefined: none. */
export function findElectron(env = process.env) {
  const name = read(join(folder, 'path.txt')) ?? usual[process.platform] ?? 'electron'
  const path = join(env.ELECTRON_OVERRIDE_DIST_PATH || join(folder, 'dist'), name)
  return existsSync(path) ? path : undefined
}

const version = () => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version

function remembered() {
  try {
    const tried = JSON.parse(read(memory) ?? '')
    return tried.version === version() ? tried : undefined
  } catch {
    return undefined // never tried, or the memory is torn: try
  }
}

/** Runs the fetch that the electron package ships; resolves with the reason of a failure. */
function fetchOnce() {
  return new Promise((resolve) => {
    const lines = []
    const child = spawn(pinnedNode(), [join(folder, 'install.js')], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
    const limit = setTimeout(() => {
      child.kill('SIGKILL')
      resolve(`it took longer than ${LONGEST_FETCH_MS / 1000} s`)
    }, LONGEST_FETCH_MS)
    const done = (why) => {
      clearTimeout(limit)
      resolve(why)
    }
    child.stderr.setEncoding('utf8').on('data', (text) => lines.push(text))
    child.on('error', (error) => done(error.message))
    child.on('exit', (code) => {
      const cause = lines
        .join('')
        .split('\n')
        .find((line) => /error/i.test(line))
      if (code === 0) return done(undefined)
      if (/fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(lines.join(''))) {
        return done('its server could not be reached')
      }
      done((cause ?? `the fetch ended with code ${code}`).trim().slice(0, 200))
    })
  })
}

/**
 * Tries once per Electron version to fetch the binary, at most a minute; later starts remember the
 * outcome. Answers the path, or the reason why there is none.
 */
async function fetchElectron() {
  const before = remembered()
  if (before) {
    return { why: `Electron could not be fetched on ${before.at.slice(0, 10)} ("npx install-electron" tries again)` }
  }
  console.log('Fetching Electron, once, for at most a minute …')
  const why = await fetchOnce()
  const path = findElectron()
  if (why === undefined && path !== undefined) return { path }
  mkdirSync(dirname(memory), { recursive: true })
  const tried = { version: version(), at: new Date().toISOString(), why: why ?? 'no binary came of it' }
  writeFileSync(memory, `${JSON.stringify(tried)}\n`)
  return { why: `Electron could not be fetched (${tried.why})` }
}

export const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)

/** Why this machine can't show Electron's window, whether or not its binary is there. */
function findObstacle(args) {
  if (args.includes('--browser')) return 'you asked for the browser'
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH) return undefined // whoever names a binary knows that it runs here
  if (!hasDisplay) return 'this session has no display'
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    return 'Electron does not run as root with its sandbox, and Tapedeck does not run without'
  }
  return undefined
}

/** Path of the Electron to run, fetched where it is missing, or the reason why the browser has to do. */
export async function pickElectron(args) {
  const why = findObstacle(args)
  if (why !== undefined) return { why }
  const path = findElectron()
  return path === undefined ? fetchElectron() : { path }
}

/** What to do if the lines of this Electron name the sandbox; '' where it has no helper to change. */
export function sandboxCure(electron) {
  const helper = join(dirname(electron), 'chrome-sandbox')
  if (!existsSync(helper)) return ''
  // Ubuntu 23.10 and later deny the user namespaces that the sandbox otherwise uses.
  const word = /^[\w./@%+=:,-]+$/.test(helper) ? helper : `'${helper.replaceAll("'", "'\\''")}'`
  return `; if they name the sandbox, run: sudo chown root:root ${word} && sudo chmod 4755 ${word}`
}
