import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CustomScheme } from 'electron'
import { beforeAll, expect, test } from 'vitest'
import { answerPage, registerScheme } from '../../../../../src/main/hosts/electron/protocol.ts'
import { openPages, type Pages } from '../../../../../src/main/hosts/window-files.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
let pages: Pages
beforeAll(async () => {
  folder = makeFolder('app')
  await mkdir(join(folder, 'pages'))
  await writeFile(join(folder, 'pages', 'index.html'), '<!doctype html>')
  await writeFile(join(folder, 'secret.txt'), 'not for you')
  pages = await openPages(join(folder, 'pages'), "'self'")
})

test('serves the built pages with the policy', async () => {
  for (const url of ['app://tapedeck/', 'app://tapedeck/index.html', 'app://tapedeck/?x#y']) {
    const answer = await answerPage(pages, 'GET', url)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('<!doctype html>')
    expect(answer.headers.get('content-security-policy')).toContain("connect-src 'self'")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test.each([
  'app://evil/index.html',
  'app://tapedeck/../secret.txt',
  'app://tapedeck/%2e%2e/secret.txt',
  'app://tapedeck/..%2Fsecret.txt',
  'app://tapedeck//etc/passwd',
  'app://tapedeck/index.html/',
  'nonsense',
])('serves nothing for %s', async (url) => {
  const answer = await answerPage(pages, 'GET', url)
  expect(answer.status).toBe(404)
  expect(await answer.text()).not.toContain('not for you')
})

test('answers readers only', async () => {
  expect((await answerPage(pages, 'POST', 'app://tapedeck/')).status).toBe(405)
})

test('registers a secure origin whose scripts stay compiled from one start to the next', () => {
  const registered: CustomScheme[][] = []
  registerScheme({ registerSchemesAsPrivileged: (schemes) => void registered.push(schemes) })
  expect(registered).toEqual([
    [{ scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } }],
  ])
})
