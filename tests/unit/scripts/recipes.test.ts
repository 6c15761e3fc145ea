/** The recipes of package managers. */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import config from '../../../electron-builder.config.mjs'
import { DOWNLOADS, published, recipes } from '../../../scripts/lib/recipes.mjs'

const about = {
  version: '1.2.3',
  description: 'Watch live, keep “everything”.',
  homepage: 'https://example.com',
  license: 'MIT',
}
const BASE = 'https://example.com/releases/v1.2.3/'
const files = Object.values(DOWNLOADS).map((name) => name(about.version))
const sumOf = (file: string): string => files.indexOf(file).toString(16).padStart(64, 'a')
const sums = files.map((file) => `${sumOf(file)}  ${file}\n`).join('')
const all = recipes(about, published(about.version, BASE, sums))

describe('the recipes', () => {
  it('are of every package manager', () => {
    expect(Object.keys(all)).toEqual([
      'winget/Tapedeck.Tapedeck.yaml',
      'winget/Tapedeck.Tapedeck.installer.yaml',
      'winget/Tapedeck.Tapedeck.locale.en-US.yaml',
      'homebrew/Casks/tapedeck.rb',
      'homebrew/Formula/tapedeck-cli.rb',
      'flatpak/app.tapedeck.Tapedeck.yml',
      'aur/tapedeck-bin/PKGBUILD',
      'aur/tapedeck-cli-bin/PKGBUILD',
    ])
  })

  it('name each file that a release publishes, each next to its own checksum', () => {
    const text = Object.values(all).join('\n').toLowerCase()
    for (const file of files) expect(text).toContain(sumOf(file))
    for (const file of files.filter((name) => !name.endsWith('.dmg')))
      expect(text).toContain(`${BASE}${file}`.toLowerCase())
    expect(all['homebrew/Casks/tapedeck.rb']).toContain(`${BASE}Tapedeck-#{version}-mac-#{arch}.dmg`)
    const [, arm] = /sha256 arm: +"(\w+)"/.exec(all['homebrew/Casks/tapedeck.rb']) ?? []
    expect(arm).toBe(sumOf('Tapedeck-1.2.3-mac-arm64.dmg'))
    for (const machine of ['x64', 'arm64']) {
      const installer = new RegExp(
        `Architecture: ${machine}\\n +InstallerUrl: \\S+-win-${machine}.exe\\n +InstallerSha256: (\\w+)`,
      )
      const [, sum = ''] = installer.exec(all['winget/Tapedeck.Tapedeck.installer.yaml']) ?? []
      expect(sum.toLowerCase()).toBe(sumOf(`Tapedeck-1.2.3-win-${machine}.exe`))
    }
  })

  it('are refused while a checksum is missing', () => {
    const [first = '', ...rest] = sums.split('\n')
    expect(() => published('1.2.3', BASE, rest.join('\n'))).toThrow(first.split('  ')[1])
  })

  it('name files as the packager does', () => {
    expect(config.artifactName).toBe('${productName}-${version}-${os}-${arch}.${ext}')
  })

  it.runIf(process.platform !== 'win32').each(['tapedeck-bin', 'tapedeck-cli-bin'])(
    'PKGBUILD of %s is a shell script',
    (name) => {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: all[`aur/${name}/PKGBUILD`], encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
    },
  )
})
