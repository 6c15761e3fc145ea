/** What the Linux packages of the app declare, and hold besides it. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import config from '../../../electron-builder.config.mjs'
import { linuxFiles, LINUX_FILES, metainfoXml, mimeXml } from '../../../scripts/lib/linux-files.mjs'
import { DEPENDS } from '../../../scripts/lib/deb.mjs'

const about = { version: '1.2.3', description: 'Prices & <charts>.', homepage: 'https://example.com', license: 'MIT' }

describe('the packages of Linux', () => {
  it('depend on what Electron loads, sound and graphics among it, and on the libraries of our modules', () => {
    const names = config.deb.depends.flatMap((one) => one.split(' | ')).map((one) => one.split(' ')[0])
    expect(names).toEqual(expect.arrayContaining(['libasound2', 'libasound2t64', 'libgbm1', 'libnss3', 'libgtk-3-0']))
    for (const [name, version] of Object.entries(DEPENDS))
      expect(config.deb.depends.some((one) => one === name || one === `${name} (>= ${version})`)).toBe(true)
    expect(config.rpm.depends.join()).toMatch(/alsa-lib.*mesa-libgbm/)
  })

  it('hold every file that is made for them, each in its place', () => {
    const parts = {
      date: '2026-01-05',
      manual: 'm',
      completions: { bash: '', zsh: '', fish: '' },
      copyright: '',
      changelog: '',
    }
    expect(Object.keys(linuxFiles(about, parts)).sort()).toEqual(Object.keys(LINUX_FILES).sort())
    for (const { fpm } of [config.deb, config.rpm]) {
      expect(fpm.map((one) => one.split('=')[0].replace(/^.*out[\\/]linux[\\/]/, ''))).toEqual(Object.keys(LINUX_FILES))
      for (const one of fpm) expect(one.split('=')[1]).toMatch(/^\/usr\/share\//)
    }
    expect(config.files).toContain('!out/{bundled,linux}/**')
  })

  it('say last what a session is, so that it has our icon and not that of the packager’s own file', () => {
    const [, name = ''] = /([^/]+)$/.exec(LINUX_FILES['session.xml']) ?? []
    expect(['tapedeck.xml', name].toSorted().at(-1)).toBe(name)
  })

  it('have desktop actions only where the program is on the path', () => {
    expect(config.linux.desktop.desktopActions).toBeUndefined()
    expect(config.linux.desktop.entry.Actions).toBeUndefined()
    for (const { desktop } of [config.deb, config.rpm]) {
      const actions = Object.keys(desktop.desktopActions ?? {})
      expect(desktop.entry.Actions).toBe(actions.map((name) => `${name};`).join(''))
    }
  })
})

describe('what software centres and file managers read', () => {
  it('names the app, its launcher and this release, in valid XML', () => {
    const text = metainfoXml(about, '2026-01-05')
    expect(text).toContain('<p>Prices &amp; &lt;charts&gt;.</p>')
    expect(text).toContain('<release version="1.2.3" date="2026-01-05" />')
    expect(text).toContain('<launchable type="desktop-id">tapedeck.desktop</launchable>')
    const { desktopName } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly desktopName: string }
    expect(desktopName).toBe('tapedeck.desktop')
  })

  it('knows a session file by the bytes that it begins with', () => {
    const [, value] = /offset="0" value="(\w+)"/.exec(mimeXml()) ?? []
    expect(readFileSync('src/main/features/sessions/parts.ts', 'utf8')).toContain(`'${value}'`)
    expect(mimeXml()).toContain('type="application/x-tapedeck"')
  })
})
