import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { besideProgram, homeOf, type Program } from '../../../../../src/main/core/settings/portable.ts'

const program = (part: Partial<Program> = {}): Program => ({
  path: '/opt/Tapedeck/tapedeck',
  platform: 'linux',
  home: '/home/you',
  env: {},
  ...part,
})

describe('the app’s folder', () => {
  it('is the system’s unless the words say otherwise', () => {
    expect(homeOf(['day.tapedeck', '--hidden', '--no-sandbox'], program())).toEqual({
      folder: '/home/you/.local/share/tapedeck',
      portable: false,
      travels: false,
    })
    expect(homeOf([], program({ env: { TAPEDECK_HOME: '/tmp/t' } }))).toEqual({
      folder: '/tmp/t',
      portable: false,
      travels: false,
    })
  })

  it('is beside the program in portable mode, or the one that is named', () => {
    const elsewhere = program({ env: { TAPEDECK_HOME: '/tmp/t' } })
    expect(homeOf(['serve', '--portable'], elsewhere)).toEqual({
      folder: '/opt/Tapedeck/Tapedeck-data',
      portable: true,
      travels: true,
    })
    expect(homeOf(['--portable', '--home', 'stick'], elsewhere)).toEqual({
      folder: resolve('stick'),
      portable: true,
      travels: false,
    })
    expect(homeOf(['--home='], program())).toMatchObject({ portable: false })
  })

  it('lies beside what a user carries: the AppImage, the .app, the folder', () => {
    expect(besideProgram(program({ env: { APPIMAGE: '/media/stick/Tapedeck.AppImage' } }))).toBe(
      '/media/stick/Tapedeck-data',
    )
    const path = '/Volumes/Stick/Tapedeck.app/Contents/MacOS/Tapedeck'
    expect(besideProgram(program({ platform: 'darwin', path }))).toBe('/Volumes/Stick/Tapedeck-data')
    expect(besideProgram(program({ platform: 'darwin', path: '/usr/bin/tapedeck' }))).toBe('/usr/bin/Tapedeck-data')
  })
})
