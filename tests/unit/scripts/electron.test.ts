import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { sandboxCure } from '../../../scripts/lib/electron.mjs'
import { makeFolder } from '../../kit/folder.ts'

const withHelper = (name: string): string => {
  const electron = join(makeFolder('electron'), name, 'electron')
  mkdirSync(dirname(electron), { recursive: true })
  writeFileSync(join(dirname(electron), 'chrome-sandbox'), '')
  return electron
}

test('what to do about the sandbox can be pasted into a shell, whatever the folder is called', () => {
  const plain = withHelper('plain')
  const helper = join(dirname(plain), 'chrome-sandbox')
  expect(sandboxCure(plain)).toBe(
    `; if they name the sandbox, run: sudo chown root:root ${helper} && sudo chmod 4755 ${helper}`,
  )
  const odd = withHelper(`it's "mine"; $(touch broken) & co`)
  const [, command] = sandboxCure(odd).split('run: ')
  const printed = execFileSync('sh', ['-c', `sudo() { printf '%s\\n' "$3"; }; ${command}`], { cwd: dirname(odd) })
  const path = join(dirname(odd), 'chrome-sandbox')
  expect(printed.toString()).toBe(`${path}\n${path}\n`)
  expect(existsSync(join(dirname(odd), 'broken'))).toBe(false)
})

test('where there is no helper, nothing is advised', () => {
  expect(sandboxCure(join(makeFolder('electron'), 'electron'))).toBe('')
})
