/** What a short command loads. Each module costs start-up time, and a package costs more than all of ours. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const CLI = fileURLToPath(new URL('../../../../../src/main/cli.ts', import.meta.url))
/** Prints the address of every module that is loaded, at the end. */
const TRACE = `
import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
const loaded = []
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
process.on('exit', () => writeSync(3, loaded.join('\\n')))
`

function modulesOf(...args: string[]): readonly string[] {
  const trace = `data:text/javascript,${encodeURIComponent(TRACE)}`
  const { status, output } = spawnSync(process.execPath, ['--import', trace, CLI, ...args], {
    env: { ...process.env, TAPEDECK_HOME: '/nowhere' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  return (output[3] ?? '').split('\n').filter((url) => url.startsWith('file:'))
}

describe.each([['--version'], ['--help'], ['-V']])('tapedeck %s', (option) => {
  it('loads few modules: no package, no feature and no command', () => {
    const loaded = modulesOf(option).map((url) => url.replace(/^.*\/(?=src\/|node_modules\/)/, ''))
    expect(loaded).toContain('src/main/hosts/cli/run.ts')
    expect(loaded.filter((path) => path.startsWith('node_modules/'))).toEqual([])
    expect(loaded.filter((path) => /\/(store|simulator|service|renderer)\//.test(path))).toEqual([])
    expect(loaded.filter((path) => path.includes('/features/'))).toEqual(['src/main/features/diagnostics/crashes.ts'])
    expect(loaded.filter((path) => path.startsWith('src/main/hosts/cli/')).sort()).toEqual([
      'src/main/hosts/cli/process.ts',
      'src/main/hosts/cli/run.ts',
      'src/main/hosts/cli/table.ts',
    ])
    expect(loaded.length).toBeLessThanOrEqual(35)
  })
})

it('a command loads itself: sessions neither the window nor the simulator nor the clients of a team', () => {
  const loaded = modulesOf('sessions', '--help')
  expect(
    loaded.filter((url) => /node_modules\/(@nats-io|pg|undici|keytar)\/|\/simulator\/|\/browser\//.test(url)),
  ).toEqual([])
})
