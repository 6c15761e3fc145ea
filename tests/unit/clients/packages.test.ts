/** The clients as they are released: made by `npm run pack:clients`, and installed where there is no network. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../../kit/folder.ts'

const PACK = fileURLToPath(new URL('../../../scripts/pack-clients.mjs', import.meta.url))
const isWindows = process.platform === 'win32'
const runs = (command: string, code: string): boolean =>
  spawnSync(command, ['-c', code], { stdio: 'ignore' }).status === 0
/** One that can build a wheel without fetching anything: apt-get install python3-pip python3-setuptools python3-venv python3-wheel. */
const python = [process.env.TAPEDECK_PYTHON, 'python3', '/usr/bin/python3']
  .filter((one): one is string => one !== undefined && one !== '')
  .find((one) => runs(one, 'import setuptools.config.pyprojecttoml, wheel, pip, venv'))

describe.skipIf(python === undefined || isWindows)('the clients’ packages [needs wheel]', { timeout: 180_000 }, () => {
  let packages: string
  beforeAll(() => {
    packages = join(makeFolder('packages'), 'made')
    execFileSync(process.execPath, [PACK, packages], { stdio: 'pipe' })
  }, 180_000)

  it('are a wheel that installs without a network, with both packages and their types', () => {
    const wheel = readdirSync(packages).find((name) => name.endsWith('-py3-none-any.whl')) ?? ''
    const venv = join(makeFolder('venv'), 'venv')
    execFileSync(python ?? '', ['-m', 'venv', venv])
    const bin = (name: string): string => join(venv, 'bin', name)
    execFileSync(bin('pip'), ['install', '--quiet', '--no-index', join(packages, wheel)], { stdio: 'pipe' })
    const code =
      'import tapedeck, os; print(tapedeck.Tapedeck.connect.__name__, ' +
      'os.path.exists(os.path.join(os.path.dirname(tapedeck.__file__), "py.typed")))'
    expect(execFileSync(bin('python'), ['-I', '-c', code], { encoding: 'utf8', cwd: venv })).toBe('connect True\n')
    const files = execFileSync(bin('pip'), ['show', '--files', 'tapedeck-client'], { encoding: 'utf8' })
    expect(files).toContain('tapedeck_store/session_file.py')
    expect(files).toMatch(/LICENSE/)
  })

  it('are an npm package that installs without a network and has its types', () => {
    const tgz = readdirSync(packages).find((name) => name.endsWith('.tgz')) ?? ''
    const folder = makeFolder('project')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', join(packages, tgz)], {
      cwd: folder,
      stdio: 'pipe',
    })
    const code = "const { Tapedeck } = await import('@tapedeck/client'); console.log(typeof Tapedeck.connect)"
    expect(execFileSync(process.execPath, ['-e', code], { cwd: folder, encoding: 'utf8' })).toBe('function\n')
    expect(readdirSync(join(folder, 'node_modules', '@tapedeck', 'client', 'dist'))).toEqual(['index.d.ts', 'index.js'])
  })
})
