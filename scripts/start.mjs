// `npm start`: installs what is missing, builds when stale, then opens Tapedeck: in Electron where that
// is possible, else in the system's browser, saying why. `npm start -- --browser` asks for the latter.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fetchElectron, findElectron } from './lib/electron.mjs'
import { ensureBuilt, ensureInstalled, pinnedNode, root } from './lib/ensure.mjs'

const wanted = process.argv.slice(2)
const args = wanted.filter((arg) => arg !== '--browser')
const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)

/** Why this machine cannot show Electron's window, whether or not its binary is there. */
function unfit() {
  if (wanted.includes('--browser')) return 'you asked for the browser'
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH) return undefined // whoever names a binary knows that it runs here
  if (!hasDisplay) return 'this session has no display'
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    return 'Electron does not run as root with its sandbox, and Tapedeck does not run without'
  }
  return undefined
}

const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}` }
delete env.ELECTRON_RUN_AS_NODE // set by editors' terminals: Electron would not be one

let stopping = false
/** Runs a program until it ends. Ctrl+C reaches it through the terminal; we wait for its clean end. */
function follow(command, commandArgs) {
  return new Promise((resolve) => {
    const child = spawn(command, commandArgs, { cwd: root, stdio: 'inherit', env })
    const forward = (signal) => {
      stopping = true
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
    const ended = (outcome) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, forward)
      resolve(outcome)
    }
    child.on('error', (error) => ended({ why: error.message }))
    child.on('exit', (code, signal) => ended({ code, signal }))
  })
}

/** Why Electron did not run, or nothing when it ran (and the process's exit code is set). */
async function inElectron() {
  const why = unfit()
  if (why !== undefined) return why
  const found = findElectron() ?? (await fetchElectron())
  const path = typeof found === 'string' ? found : found.path
  if (path === undefined) return found.why
  const { code, signal, why: failure } = await follow(path, [root, ...args])
  if (failure !== undefined) return `Electron did not start (${failure})`
  // 127: a library is missing; a signal nobody sent: the sandbox or the display refused it.
  if (!stopping && (code === 127 || code === null)) {
    const helper = join(dirname(path), 'chrome-sandbox')
    // Ubuntu 23.10 and later deny the user namespaces that the sandbox otherwise uses.
    const cure = existsSync(helper)
      ? `; if they name the sandbox, run "sudo chown root:root ${helper} && sudo chmod 4755 ${helper}"`
      : ''
    return `Electron could not run here (${signal ?? 'a system library is missing'}; the lines above say more${cure})`
  }
  process.exitCode = stopping ? 0 : (code ?? 1)
  return undefined
}

await ensureInstalled()
await ensureBuilt()
const why = await inElectron()
if (why !== undefined && !stopping) {
  console.log(`Opening Tapedeck in ${hasDisplay ? 'your browser' : 'a browser by its address'}, because ${why}.`)
  const open = hasDisplay ? ['--open'] : []
  const { code, why: failure } = await follow(pinnedNode(), [
    join(root, 'out', 'main', 'cli.js'),
    'serve',
    ...open,
    ...args,
  ])
  if (failure !== undefined) console.error(`Tapedeck did not start: ${failure}`)
  process.exitCode = stopping ? 0 : (code ?? 1)
}
