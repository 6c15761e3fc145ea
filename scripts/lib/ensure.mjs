// What every script needs first: packages as locked, a build that is not stale, the pinned Node.
// Runs on any Node from 20 on and needs no package, because it is what installs them.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

const modules = join(root, 'node_modules')
const stamp = join(root, 'out', '.stamp')
const BUILT = ['main/index.js', 'main/cli.js', 'preload/index.cjs', 'renderer/index.html']

const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined // absent or torn: the caller installs
  }
}

/** Says what the person should read and stops; no stack, because none would help. */
export function stop(message) {
  console.error(message)
  process.exit(1)
}

/** Runs a program with this terminal; resolves with its exit code (128 + n for a signal). */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)))
  })
}

/**
 * Runs a program of ours until it ends, passing signals on. Ctrl+C reaches it through the terminal; we wait for its clean
 * end. Resolves with its code or signal, `stopped` when a signal ended it, or `why` it did not start.
 */
export function follow(command, args, env = {}) {
  const all = { ...process.env, PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH ?? ''}`, ...env }
  delete all.ELECTRON_RUN_AS_NODE // set by editors' terminals: Electron would not be one
  return new Promise((resolve) => {
    let stopped = false
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: all })
    const forward = (signal) => {
      stopped = true
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
    const ended = (outcome) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, forward)
      resolve({ stopped, ...outcome })
    }
    child.on('error', (error) => ended({ why: error.message }))
    child.on('exit', (code, signal) => ended({ code, signal }))
  })
}

function pinnedNodePath() {
  const bin = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  return existsSync(bin) ? bin : undefined
}

/**
 * The Node of package.json's pin, which runs everything that is ours. Where it cannot be had, the
 * current one if it is new enough, else stops with a sentence.
 */
export function pinnedNode() {
  const bin = pinnedNodePath()
  if (bin) return bin
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return stop(
    `Tapedeck needs Node 24 and found ${process.versions.node}. Run "npm rebuild node", which fetches it, or install Node 24.`,
  )
}

/** Why node_modules is not what package-lock.json says; undefined when it is. */
function missing() {
  const locked = readJson(join(root, 'package-lock.json'))?.packages
  if (!locked) return stop('package-lock.json is missing or damaged: restore it with "git checkout package-lock.json".')
  const installed = readJson(join(modules, '.package-lock.json'))?.packages
  if (!installed) return 'nothing is installed yet'
  for (const [path, wanted] of Object.entries(locked)) {
    if (path === '' || wanted.link || wanted.optional || wanted.devOptional) continue
    const found = installed[path]
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    if (!found || !existsSync(join(root, path, 'package.json'))) return `${name} is missing`
    if (found.version !== wanted.version) return `${name} is ${found.version} and should be ${wanted.version}`
  }
  return undefined
}

function npm(args) {
  // npm tells its scripts where it lives; started without npm, the one on the path is used.
  const self = process.env.npm_execpath
  if (self && /npm-cli\.c?js$/.test(self)) return run(process.execPath, [self, ...args])
  return run('npm', args, { shell: process.platform === 'win32' })
}

/** The folders of packages in node_modules that have to be there, from package-lock.json. */
const wantedFolders = () =>
  Object.entries(readJson(join(root, 'package-lock.json'))?.packages ?? {})
    .filter(([path, { optional, devOptional }]) => path !== '' && !optional && !devOptional)
    .map(([path]) => join(root, path))

/** How many are unpacked: npm makes all folders first, and fills them one by one. */
const countUnpacked = (folders) => folders.filter((folder) => existsSync(join(folder, 'package.json'))).length

/** Makes node_modules what package-lock.json says, with `npm ci` where it is not; stops with a sentence on failure. */
export async function ensureInstalled() {
  const why = missing()
  if (why !== undefined) {
    console.log(`Installing packages: ${why}. This takes a minute or two.`)
    const started = Date.now()
    const folders = wantedFolders()
    const beat = setInterval(() => {
      const unpacked = `${countUnpacked(folders)} of ${folders.length} packages unpacked`
      console.log(`  … ${Math.round((Date.now() - started) / 1000)} s, ${unpacked}`)
    }, 10_000)
    const code = await npm(['ci', '--no-fund', '--no-audit', '--loglevel=error']).catch(() => 1)
    clearInterval(beat)
    if (code === 130) process.exit(130)
    if (code !== 0) {
      stop('The packages could not be installed. npm says why above; a network is needed. Then run this command again.')
    }
    const still = missing()
    if (still !== undefined) stop(`The packages are not as locked after "npm ci": ${still}.`)
    console.log(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`)
  }
  if (!pinnedNodePath() && existsSync(join(modules, 'node'))) {
    console.log('Fetching the pinned Node, which an install without scripts left out.')
    await npm(['rebuild', 'node', '--ignore-scripts=false', '--foreground-scripts']).catch(() => 1)
  }
}

function* files(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (entry.isDirectory()) yield* files(below)
    else if (entry.isFile()) yield below
  }
}

/** SHA-256 of everything that the build reads: sources, configuration, lockfile. */
function fingerprint() {
  const inputs = ['electron.vite.config.ts', 'package.json', 'package-lock.json', 'tsconfig.base.json']
    .map((name) => join(root, name))
    .filter((path) => existsSync(path))
  const hash = createHash('sha256')
  for (const path of [...inputs, ...files(join(root, 'src'))].sort()) {
    const content = readFileSync(path)
    hash.update(`${path.slice(root.length).split(sep).join('/')}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/** Makes the next `ensureBuilt` build, because out/ is about to hold something else. */
export const forgetBuild = () => rmSync(stamp, { force: true })

/** Builds into out/, whatever is there; resolves with the exit code of electron-vite. */
export async function build() {
  // Read before building: a source saved while the build runs leaves the stamp stale, not wrong.
  const built = fingerprint()
  forgetBuild()
  const code = await run(
    pinnedNode(),
    [join(modules, 'electron-vite', 'bin', 'electron-vite.js'), 'build', '--logLevel', 'warn'],
    { env: { ...process.env, NODE_ENV: 'production' } },
  )
  if (code === 0) {
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, `${built}\n`)
  }
  return code
}

/** Whether out/ holds the build of exactly these sources. */
function isBuilt() {
  if (!BUILT.every((name) => existsSync(join(root, 'out', name))) || !existsSync(stamp)) return false
  return readFileSync(stamp, 'utf8').trim() === fingerprint()
}

/** Builds when out/ is stale or missing; stops with a sentence on failure. */
export async function ensureBuilt() {
  if (isBuilt()) return
  console.log('Building …')
  const started = Date.now()
  const code = await build().catch(() => 1)
  if (code === 130) process.exit(130)
  if (code !== 0) stop('The build failed; the lines above say where.')
  console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`)
}
