// `npm start`: installs what is missing, builds when stale, then opens Tapedeck: in Electron where that
// is possible, else in the system's browser, saying why. `npm start -- --browser` asks for the latter.
import { join } from 'node:path'
import { hasDisplay, pickElectron, sandboxCure } from './lib/electron.mjs'
import { ensureBuilt, ensureInstalled, follow, pinnedNode, root } from './lib/ensure.mjs'

const wanted = process.argv.slice(2)
const args = wanted.filter((arg) => arg !== '--browser')
let stopping = false

/** Why Electron did not run, or nothing when it ran (and the process's exit code is set). */
async function inElectron() {
  const { path, why } = await pickElectron(wanted)
  if (path === undefined) return why
  const { code, signal, why: failure, stopped } = await follow(path, [root, ...args])
  stopping = stopped
  if (failure !== undefined) return `Electron did not start (${failure})`
  // 127: a library is missing; a signal nobody sent: the sandbox or the display refused it.
  if (!stopping && (code === 127 || code === null)) {
    const what = signal ?? 'a system library is missing'
    return `Electron could not run here (${what}; the lines above say more${sandboxCure(path)})`
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
  const {
    code,
    why: failure,
    stopped,
  } = await follow(pinnedNode(), [join(root, 'out', 'main', 'cli.js'), 'serve', ...open, ...args], {
    // As in tapedeck.mjs.
    MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2',
  })
  if (failure !== undefined) console.error(`Tapedeck did not start: ${failure}`)
  process.exitCode = stopped ? 0 : (code ?? 1)
}
