// `npm run pack:check`: makes the folder package and proves what is in it: what must be there, what must not, its
// sizes, its native modules, its fuses where it holds a real Electron, and that it starts from its own files.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { listPackage, statFile } from '@electron/asar'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { findChromium } from './lib/chromium.mjs'
import { findElectron } from './lib/electron.mjs'
import { pinnedNode, root } from './lib/ensure.mjs'
import { packed, playOn, unpack } from './lib/packed.mjs'

/** What an installed Tapedeck may weigh, bytes: packed code and data, what lies unpacked beside it, and all with Electron. */
const BUDGET = { asar: 8_000_000, unpacked: 8_000_000, installed: 400_000_000 }
const MUST = [
  'package.json',
  'out/main/index.js',
  'out/main/cli.js',
  'out/main/store-worker.js',
  'out/main/reader-worker.js',
  'out/main/simulator-worker.js',
  'out/preload/index.cjs',
  'out/renderer/index.html',
  'resources/demo/ATTRIBUTION.md',
  'resources/demo/btc-usd.tape.br',
  'resources/icons/tapedeck-32.png',
]
/** Of no use to a user, whosesoever it is; and what of ours is not the program. */
const NEVER = [/\.map$/, /\.d\.[cm]?ts$/]
const NEVER_OURS = [/\.(svelte|tsx?)$/, /^(src|tests|benchmarks|docs|shared)\//, /\.env/, /\.(db|tapedeck)$/]
/** Folders of whoever built the package have no place in it. */
const PRIVATE = [root, process.env.HOME ?? ''].filter((path) => path.length > 5)

const problems = []
const check = (good, text) => {
  console.log(`  ${good ? '✓' : '✗'} ${text}`)
  if (!good) problems.push(text)
}
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
const sizeOf = (folder) => filesBelow(folder).reduce((sum, file) => sum + statSync(file).size, 0)

function inspect({ app, resources, asar }) {
  const names = listPackage(asar).map((name) => name.slice(1).replaceAll('\\', '/'))
  for (const name of MUST) check(names.includes(name), `holds ${name}`)
  const ours = names.filter((name) => !name.startsWith('node_modules/'))
  for (const pattern of NEVER) check(!names.some((name) => pattern.test(name)), `holds nothing like ${pattern}`)
  for (const pattern of NEVER_OURS) check(!ours.some((name) => pattern.test(name)), `holds nothing like ${pattern}`)
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const modules = new Set(
    names
      .filter((name) => name.startsWith('node_modules/'))
      .map((name) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1]),
  )
  const missing = Object.keys(dependencies).filter((name) => !modules.has(name))
  check(missing.length === 0, `holds every package it runs with${missing.length ? `, but ${missing.join(', ')}` : ''}`)
  const needless = Object.keys(devDependencies).filter((name) => modules.has(name) && name !== 'hyparquet')
  check(
    needless.length === 0,
    `holds no package of development${needless.length ? `, but ${needless.join(', ')}` : ''}`,
  )

  const natives = names.filter((name) => name.endsWith('.node'))
  check(natives.length === 2, `holds two native modules: ${natives.join(', ')}`)
  for (const name of natives) {
    const beside = join(`${asar}.unpacked`, name)
    check(
      statFile(asar, name.replaceAll('/', process.platform === 'win32' ? '\\' : '/')).unpacked === true &&
        existsSync(beside),
      `${name} lies unpacked`,
    )
    if (!existsSync(beside)) continue
    const loads = `process.dlopen({ exports: {} }, ${JSON.stringify(beside)})`
    try {
      execFileSync(pinnedNode(), ['-e', loads], { stdio: 'ignore' })
      check(true, `${name} loads`)
    } catch {
      check(false, `${name} loads`)
    }
  }
  const sizes = { asar: statSync(asar).size, unpacked: existsSync(`${asar}.unpacked`) ? sizeOf(`${asar}.unpacked`) : 0 }
  check(sizes.asar <= BUDGET.asar, `app.asar ${megabytes(sizes.asar)} of at most ${megabytes(BUDGET.asar)}`)
  check(
    sizes.unpacked <= BUDGET.unpacked,
    `unpacked ${megabytes(sizes.unpacked)} of at most ${megabytes(BUDGET.unpacked)}`,
  )
  const installed = sizeOf(app)
  check(
    installed <= BUDGET.installed,
    `installed ${megabytes(installed)} of at most ${megabytes(BUDGET.installed)}${findElectron({}) ? '' : ', without Electron'}`,
  )
  for (const name of ['LICENSE.txt', 'THIRD-PARTY-NOTICES.txt'])
    check(existsSync(join(resources, name)), `${name} lies beside it`)
  const bytes = readFileSync(asar)
  check(!PRIVATE.some((path) => bytes.includes(path)), 'names no folder of the machine that built it')
}

const program = (app) =>
  join(app, { darwin: 'Tapedeck.app/Contents/MacOS/Tapedeck', win32: 'Tapedeck.exe' }[process.platform] ?? 'tapedeck')

async function fuses(app) {
  if (!findElectron({})) return console.log('    fuses: not checked, this package holds no real Electron')
  const wire = await getCurrentFuseWire(program(app))
  const wanted = {
    RunAsNode: FuseState.DISABLE,
    EnableCookieEncryption: FuseState.ENABLE,
    EnableNodeOptionsEnvironmentVariable: FuseState.DISABLE,
    EnableNodeCliInspectArguments: FuseState.DISABLE,
    OnlyLoadAppFromAsar: FuseState.ENABLE,
    EnableEmbeddedAsarIntegrityValidation: FuseState.ENABLE,
  }
  for (const [name, state] of Object.entries(wanted))
    check(wire[FuseV1Options[name]] === state, `fuse ${name} is ${state === FuseState.ENABLE ? 'on' : 'off'}`)
}

/** Starts the program out of the files of the asar, under Node, as the browser host, and asks it for its page. */
async function boot(folder) {
  const home = mkdtempSync(join(tmpdir(), 'tapedeck-pack-'))
  const env = { ...process.env, TAPEDECK_HOME: home }
  const cli = join(folder, 'out', 'main', 'cli.js')
  const version = execFileSync(pinnedNode(), [cli, '--version'], { env, encoding: 'utf8' }).trim()
  check(/^\d+\.\d+\.\d+/.test(version), `the packed command line starts: ${version}`)
  const recorded = JSON.parse(
    execFileSync(pinnedNode(), [cli, 'record', '--demo', '--feed', 'crypto/XT:BTC-USD', '--duration', '2s', '--json'], {
      env,
      encoding: 'utf8',
    }),
  )
  const received = recorded.feeds.reduce((sum, feed) => sum + feed.received, 0)
  const stored = recorded.feeds.reduce((sum, feed) => sum + feed.stored, 0)
  check(received > 0 && stored === received, `it records the demo market: ${stored} of ${received} messages`)
  const host = spawn(pinnedNode(), [cli, 'serve', '--demo', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const line = await new Promise((resolve, reject) => {
      createInterface({ input: host.stdout }).once('line', resolve)
      host.once('exit', (code) => reject(new Error(`the packed browser host ended with ${code}`)))
    })
    const answer = await fetch(JSON.parse(line).url)
    check(answer.ok && (await answer.text()).includes('<title>Tapedeck'), 'it serves its window')
  } finally {
    host.kill('SIGTERM')
    await new Promise((resolve) => (host.exitCode === null ? host.once('exit', resolve) : resolve()))
    rmSync(home, { recursive: true, force: true })
  }
}

/** The day of a user on the packed files; every further story is `npm run pack:stories`. */
function story(folder) {
  if (!findChromium()) return console.log('    no story was played: there is no Chromium here')
  check(playOn(folder, 'browser', ['tests/e2e/story.spec.ts']), 'the story of a user holds on the packed files')
}

execFileSync(pinnedNode(), [join(root, 'scripts', 'pack.mjs'), '--dir'], { cwd: root, stdio: 'inherit' })
const made = packed()
if (!made) throw new Error('electron-builder made no folder')
console.log(`\nThe package ${relative(root, made.app)}:`)
inspect(made)
await fuses(made.app)
const files = unpack(made)
await boot(files)
story(files)
console.log(
  problems.length === 0
    ? '\nThe package is sound.'
    : `\n${problems.length} problems:\n${problems.map((text) => `  ${text}`).join('\n')}`,
)
process.exitCode = problems.length === 0 ? 0 : 1
