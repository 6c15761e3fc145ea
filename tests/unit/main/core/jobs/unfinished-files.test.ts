/** Temporary files of a process that was killed are deleted by the next run, and nothing else is. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { temporaryName } from '../../../../../src/main/base/file-sink.ts'
import { listUnfinishedFiles, removeUnfinishedFiles } from '../../../../../src/main/core/jobs/unfinished-files.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { commandContext } from '../../hosts/cli/context.ts'

/** An import of standard input that never ends, once it is saving what arrives. */
async function importing(home: string) {
  const command = new URL('../../../../../src/main/cli.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [command, 'import', '-', '--home', home], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.write('time,price\n')
  await vi.waitFor(() => expect(existsSync(join(spooled(home), 'standard-input'))).toBe(true), { timeout: 30_000 })
  return {
    async end(signal: NodeJS.Signals) {
      child.kill(signal)
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
const spooled = (home: string): string =>
  join(home, readdirSync(home).find((name) => name.startsWith('import-')) ?? 'none')

it('an import of standard input that is ended leaves nothing, and one that is killed until the next command', async () => {
  const home = makeFolder('unfinished')
  await (await importing(home)).end('SIGTERM')
  expect([existsSync(spooled(home)), readdirSync(join(home, 'unfinished'))]).toEqual([false, []])

  const killed = await importing(home)
  const folder = spooled(home)
  expect(removeUnfinishedFiles(home)).toEqual([]) // it is still running
  await killed.end('SIGKILL')
  expect(existsSync(folder)).toBe(true)
  const context = commandContext({ dataDir: home })
  await runCommandLine(['sessions'], context)
  expect(context.errors()).toContain(`tapedeck: Tapedeck was interrupted; its partial file ${folder} was deleted.\n`)
  expect([existsSync(folder), readdirSync(join(home, 'unfinished'))]).toEqual([false, []])
})

/** What a killed process leaves: a list that no lock holds. */
function leave(home: string, ...lines: readonly string[]): void {
  mkdirSync(join(home, 'unfinished'), { recursive: true })
  writeFileSync(join(home, 'unfinished', 'files-00000000-0000-4000-8000-000000000000.list'), lines.join('\n'))
}

it('only files whose names are those of temporary files are deleted', () => {
  const home = makeFolder('unfinished')
  const [mine, left] = [join(home, 'mine.csv'), temporaryName(join(home, 'day.csv'))]
  for (const path of [mine, left]) writeFileSync(path, 'rows')
  leave(home, JSON.stringify(mine), JSON.stringify(left), 'null', '"/cut off')
  expect(removeUnfinishedFiles(home)).toEqual([`Tapedeck was interrupted; its partial file ${left} was deleted.`])
  expect([existsSync(left), readFileSync(mine, 'utf8')]).toEqual([false, 'rows'])
})

it('files on a disk that isn’t there now are remembered', () => {
  const home = makeFolder('unfinished')
  const disk = join(home, 'disk')
  const left = temporaryName(join(disk, 'day.csv'))
  leave(home, JSON.stringify(left))
  expect(removeUnfinishedFiles(home)).toEqual([])
  mkdirSync(disk)
  writeFileSync(left, 'rows')
  expect(removeUnfinishedFiles(home)).toHaveLength(1)
  expect(existsSync(left)).toBe(false)
})

it('an app’s folder that can’t be written keeps nobody from writing files elsewhere', () => {
  const home = join(makeFolder('unfinished'), 'file')
  writeFileSync(home, '')
  const files = listUnfinishedFiles(home)
  files.add(temporaryName('/tmp/day.csv'))
  files.done()
  expect(removeUnfinishedFiles(home)).toEqual([])
})
