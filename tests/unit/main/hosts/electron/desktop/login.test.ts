import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  autostartEntry,
  canStartAtLogin,
  setStartAtLogin,
  type LoginHost,
} from '../../../../../../src/main/hosts/electron/desktop/login.ts'
import { makeFolder } from '../../../../../kit/folder.ts'

let config: string
let file: string
beforeEach(() => {
  config = makeFolder('login')
  file = join(config, 'autostart', 'tapedeck.desktop')
})

const setItem = vi.fn()
const host = (platform: NodeJS.Platform, installed = true): LoginHost => {
  setItem.mockClear()
  return { platform, installed, program: '/opt/Tapedeck/tapedeck', config, setItem }
}

describe('start at login', () => {
  test.each(['darwin', 'win32'] as const)('is registered with %s', (platform) => {
    const system = host(platform)
    setStartAtLogin(system, true)
    setStartAtLogin(system, false)
    expect(setItem.mock.calls).toEqual([
      [{ openAtLogin: true, args: ['--hidden'] }],
      [{ openAtLogin: false, args: ['--hidden'] }],
    ])
    expect(existsSync(file)).toBe(false)
  })

  test('is an entry of the desktop on Linux, there as long as it is wanted', () => {
    const system = host('linux')
    setStartAtLogin(system, false)
    expect(existsSync(dirname(file))).toBe(false)
    setStartAtLogin(system, true)
    expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/Tapedeck/tapedeck" --hidden\n')
    setStartAtLogin({ ...system, program: '/home/me/Tapedeck-2.AppImage' }, true)
    expect(readFileSync(file, 'utf8')).toContain('Exec="/home/me/Tapedeck-2.AppImage"')
    setStartAtLogin(system, false)
    expect(existsSync(file)).toBe(false)
    expect(setItem).not.toHaveBeenCalled()
  })

  test('leaves an entry alone that the user wrote', () => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '[Desktop Entry]\nExec=tapedeck --home /mine\n')
    setStartAtLogin(host('linux'), false)
    expect(existsSync(file)).toBe(true)
  })

  test.each(['linux', 'darwin', 'win32'] as const)(
    'does and offers nothing where nothing is installed: %s',
    (platform) => {
      const system = host(platform, false)
      expect(canStartAtLogin(system)).toBe(false)
      setStartAtLogin(system, true)
      expect(setItem).not.toHaveBeenCalled()
      expect(existsSync(file)).toBe(false)
    },
  )

  test('names the program so that a desktop reads one word, whatever is in it', () => {
    const exec = (program: string) => /^Exec=(.*)$/m.exec(autostartEntry(program))?.[1]
    expect(exec('/opt/My Apps/100%/tapedeck')).toBe('"/opt/My Apps/100%%/tapedeck" --hidden')
    expect(exec('/a"b$c`d')).toBe('"/a\\\\"b\\\\$c\\\\`d" --hidden')
    expect(exec('/a\\b')).toBe('"/a\\\\\\\\b" --hidden')
  })
})
