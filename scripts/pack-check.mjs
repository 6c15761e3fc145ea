// `npm run pack:check`: makes the folder package and checks what is in it: required and forbidden files, sizes, native
// modules, and the fuses where it holds a real Electron. That it starts is checked by tests/e2e/packed.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { listPackage, statFile } from '@electron/asar'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { findElectron } from './lib/electron.mjs'
import { pinnedNode, root } from './lib/ensure.mjs'
import { packed } from './lib/packed.mjs'

/** What an installed Tapedeck may weigh, bytes: packed code and data, what lies unpacked beside it, and all with Electron. */
const BUDGET = { asar: 10_000_000, unpacked: 8_000_000, installed: 400_000_000 }
const MUST = [
  'package.json',
  'out/main/index.js',
  'out/main/cli.js',
  'out/main/store-worker.js',
  'out/main/reader-worker.js',
  'out/main/import-worker.js',
  'out/main/simulator-worker.js',
  'out/preload/index.cjs',
  'out/renderer/index.html',
  'resources/demo/ATTRIBUTION.md',
  'resources/demo/btc-usd.tape.br',
  'resources/icons/tapedeck-32.png',
]
/** Of no use to a user, whosesoever it is; and what of ours is not the program. */
const NEVER = [/\.map$/, /\.[cm]?ts$/, /\.test\.js$/]
const NEVER_OURS = [/\.svelte$/, /^(src|tests|benchmarks|docs|shared)\//, /\.env/, /\.(db|tapedeck)$/]
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
  const needless = Object.keys(devDependencies).filter((name) => modules.has(name))
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

async function fuses({ program }) {
  if (!findElectron({})) return console.log('    fuses: not checked, this package holds no real Electron')
  const wire = await getCurrentFuseWire(program)
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

execFileSync(pinnedNode(), [join(root, 'scripts', 'pack.mjs'), '--dir'], { cwd: root, stdio: 'inherit' })
const made = packed()
if (!made) throw new Error('electron-builder made no folder')
console.log(`\nThe package ${relative(root, made.app)}:`)
inspect(made)
await fuses(made)
console.log(
  problems.length === 0
    ? '\nThe package is sound.'
    : `\n${problems.length} problems:\n${problems.map((text) => `  ${text}`).join('\n')}`,
)
process.exitCode = problems.length === 0 ? 0 : 1
