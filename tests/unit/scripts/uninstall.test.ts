import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { expect, test } from 'vitest'
import { appHome } from '../../../src/main/core/settings/paths.ts'

const script = readFileSync('packaging/after-remove.tpl', 'utf8')
const said = script.slice(script.indexOf('# Recordings belong to the user'))
const run = (how: string): string => spawnSync('sh', ['-c', said, 'after-remove', how], { encoding: 'utf8' }).stdout

test.skipIf(process.platform === 'win32')(
  'removing the package of Linux says where the data stays; an upgrade says nothing [needs linux]',
  () => {
    const folder = appHome({ platform: 'linux', home: homedir(), env: {} }).replace(homedir(), '~')
    for (const how of ['remove', 'purge', '0'])
      expect(run(how)).toContain(`recordings and settings are still in ${folder}.`)
    for (const how of ['upgrade', '1']) expect(run(how)).toBe('')
  },
)

test('the uninstaller of Windows says where the data stays', () => {
  const nsis = readFileSync('packaging/installer.nsh', 'utf8')
  const folder = appHome({ platform: 'win32', home: '', env: { APPDATA: '$APPDATA' } }).replaceAll('/', '\\')
  expect(nsis).toContain(`recordings and settings are still in ${folder}.`)
})

test('nothing of the user is removed', () => {
  const removed = [...script.matchAll(/\brm\s+(.*)$/gm)].map(([, what]) => what)
  expect(removed).toEqual([`-f '/usr/bin/\${executable}'`, '-f "$APPARMOR_PROFILE_DEST"'])
  expect(readFileSync('packaging/installer.nsh', 'utf8')).not.toMatch(/RMDir|Delete "/)
})
