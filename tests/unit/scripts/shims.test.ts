/** The scripts that start the installed program find it through any chain of symbolic links. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from '../../kit/folder.ts'

const program = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '#!/bin/sh\nprintf "%s\\n" "$0" "$@"\n')
  chmodSync(path, 0o755)
}

it.runIf(process.platform !== 'win32')('packaging/cli/tapedeck limits the arenas of freed memory, unless told', () => {
  const folder = makeFolder('shim')
  writeFileSync(join(folder, 'node'), '#!/bin/sh\nprintf %s "$MALLOC_ARENA_MAX"\n')
  chmodSync(join(folder, 'node'), 0o755)
  cpSync('packaging/cli/tapedeck', join(folder, 'tapedeck'))
  const arenasWith = (env: NodeJS.ProcessEnv): string =>
    spawnSync(join(folder, 'tapedeck'), { encoding: 'utf8', env: { PATH: process.env['PATH'], ...env } }).stdout
  expect([arenasWith({}), arenasWith({ MALLOC_ARENA_MAX: '5' })]).toEqual(['2', '5'])
})

it.runIf(process.platform !== 'win32').each([
  [
    'packaging/bin/tapedeck',
    'Tapedeck.app/Contents/Resources/bin/tapedeck',
    'Tapedeck.app/Contents/MacOS/Tapedeck',
    [],
  ],
  [
    'packaging/cli/tapedeck',
    'lib/tapedeck-cli/tapedeck',
    'lib/tapedeck-cli/node',
    ['lib/tapedeck-cli/out/main/cli.js'],
  ],
])('%s', (source, place, runs, first) => {
  const folder = makeFolder('shim with spaces')
  const shim = join(folder, place)
  program(join(folder, runs))
  mkdirSync(dirname(shim), { recursive: true })
  cpSync(source, shim)
  mkdirSync(join(folder, 'usr', 'bin'), { recursive: true })
  // A relative link to an absolute one.
  symlinkSync(shim, join(folder, 'absolute'))
  symlinkSync('../../absolute', join(folder, 'usr', 'bin', 'tapedeck'))
  for (const start of [shim, join(folder, 'usr', 'bin', 'tapedeck')]) {
    const { stdout, stderr } = spawnSync(start, ['--note', 'two words'], { encoding: 'utf8', cwd: '/' })
    const [ran = '', ...args] = stdout.trimEnd().split('\n')
    expect([stderr, ran.replace('/Resources/bin/../..', '')]).toEqual(['', join(folder, runs)])
    expect(args).toEqual([...first.map((path) => join(folder, path)), '--note', 'two words'])
  }
})
