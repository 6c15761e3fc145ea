// What the checks in a new Debian share: `npm run cold`, `npm run boot`.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { debArch } from './deb.mjs'
import { ensureInstalled, pinnedNode, root as checkout } from './ensure.mjs'
import { UNABLE } from './report.mjs'

export const SUITE = 'bookworm'
const started = Date.now()
export const say = (text) => console.log(`  ${((Date.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${text}`)

/** Prints what holds. Throws if it doesn't. */
export function must(isTrue, text) {
  if (!isTrue) throw new Error(text)
  say(`✓ ${text}`)
}

/** The values of JSON lines. */
export const lines = (text) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Runs a program to its end. Rejects with what it said. */
export async function finish(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} failed: ${said}`)
}

/** Makes the package for servers. Resolves with its path. */
export async function makePackage() {
  await finish(pinnedNode(), [join(checkout, 'scripts', 'pack-cli.mjs'), '--deb', '--fast'])
  return packageFile()
}

/** The package for servers that was made last. */
export function packageFile() {
  const folder = join(checkout, 'dist-cli')
  const name = readdirSync(folder).find((one) => one.endsWith(`_${debArch()}.deb`))
  return join(folder, name)
}

/** Why a check can't run here; undefined: it can. */
function unable(programs) {
  if (process.platform !== 'linux') return 'it needs Linux'
  if (process.getuid() !== 0) return 'it needs root'
  const missing = programs.find((program) => spawnSync(program, ['--version']).error)
  return missing === undefined ? undefined : `${missing} isn’t installed`
}

/**
 * Runs a check on the pinned Node, with mounts of its own that end with it. Where it can't run, says why.
 * @param {string} script the file of the check
 * @param {{ where: string, programs: readonly string[], check: () => Promise<void> }} about `where` it checks, in words, and what it needs
 */
export async function runCheck(script, { where, programs, check }) {
  await ensureInstalled()
  const why = unable(programs)
  if (why !== undefined) {
    console.log(`Not checked in ${where}: ${why}.`)
    process.exitCode = UNABLE
  } else if (process.env.TAPEDECK_COLD === 'inside') await check()
  else {
    const env = { ...process.env, TAPEDECK_COLD: 'inside' }
    const again = spawnSync('unshare', ['--mount', pinnedNode(), script, ...process.argv.slice(2)], {
      stdio: 'inherit',
      env,
    })
    process.exitCode = again.status ?? 1
  }
}
