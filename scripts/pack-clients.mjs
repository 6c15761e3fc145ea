// `npm run pack:clients`: the Python client as a wheel and the TypeScript client as an npm package, in dist-clients/.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureInstalled, root, stop } from './lib/ensure.mjs'
import { releaseDate } from './lib/release-date.mjs'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const PYTHONS = [process.env.TAPEDECK_PYTHON, 'python3', '/usr/bin/python3', 'python'].filter(Boolean)
const runs = (command, code) => spawnSync(command, ['-c', code], { stdio: 'ignore' }).status === 0

/** A Python with pip, best one that can build without fetching setuptools and wheel. */
function findPython() {
  const offline = PYTHONS.find((one) => runs(one, 'import setuptools.config.pyprojecttoml, wheel, pip'))
  if (offline !== undefined) return { python: offline, isolation: ['--no-build-isolation'] }
  const python = PYTHONS.find((one) => runs(one, 'import pip'))
  if (python === undefined) stop('The wheel needs Python 3 with pip: apt-get install python3-pip python3-wheel.')
  return { python, isolation: [] }
}

/** Builds in copies, so that nothing is left in the sources. */
function packWheel(work, to) {
  const from = join(work, 'python')
  cpSync(join(root, 'clients', 'python'), from, { recursive: true })
  cpSync(join(root, 'LICENSE'), join(from, 'LICENSE'))
  const { python, isolation } = findPython()
  const epoch = String(Date.parse(releaseDate()) / 1_000)
  execFileSync(python, ['-m', 'pip', 'wheel', '--quiet', '--no-deps', ...isolation, '--wheel-dir', to, from], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: epoch, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
  })
}

function packNpm(work, to) {
  const from = join(work, 'typescript')
  cpSync(join(root, 'clients', 'typescript'), from, {
    recursive: true,
    filter: (path) => !path.startsWith(join(root, 'clients', 'typescript', 'dist')),
  })
  cpSync(join(root, 'LICENSE'), join(from, 'LICENSE'))
  // npm compares it with the workflow that publishes the package.
  if (process.env.GITHUB_REPOSITORY) {
    const file = join(from, 'package.json')
    const url = `git+${process.env.GITHUB_SERVER_URL}/${process.env.GITHUB_REPOSITORY}.git`
    const about = { ...JSON.parse(readFileSync(file, 'utf8')), repository: { type: 'git', url } }
    writeFileSync(file, `${JSON.stringify(about, null, 2)}\n`)
  }
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = join(root, 'clients', 'typescript')
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', join(from, 'dist')], { stdio: 'inherit' })
  execFileSync(npm, ['pack', '--silent', '--pack-destination', to, from], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
}

await ensureInstalled()
const to = process.argv[2] ?? join(root, 'dist-clients')
rmSync(to, { recursive: true, force: true })
mkdirSync(to, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'tapedeck-clients-'))
try {
  packWheel(work, to)
  packNpm(work, to)
} finally {
  rmSync(work, { recursive: true, force: true })
}
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** As Python writes it: 1.2.3-beta.1 is 1.2.3b1. */
const pythonVersion = version.replace(
  /-([abr])(?:lpha|eta|c)\.(\d+)$/,
  (_, kind, n) => `${kind === 'r' ? 'rc' : kind}${n}`,
)
for (const name of [`tapedeck_client-${pythonVersion}-py3-none-any.whl`, `tapedeck-client-${version}.tgz`]) {
  if (!readdirSync(to).includes(name)) stop(`${name} wasn’t made.`)
  console.log(`${join(to, name)}  ${(statSync(join(to, name)).size / 1e3).toFixed(0)} kB`)
}
