import { describe, expect, test, vi } from 'vitest'
import type { MenuRow } from '../../../../../../src/shared/features/desktop/requests.ts'

vi.mock('electron', () => ({ Menu: {} }))
const { acceleratorOf, menuTemplate } = await import('../../../../../../src/main/hosts/electron/desktop/menu.ts')

const rows: MenuRow[] = [
  { id: 'settings', title: 'Settings', group: 'General', keys: 'Ctrl+,' },
  { id: 'new-list', title: 'New list', group: 'Watchlist', keys: null },
  { id: 'next-list', title: 'Next list', group: 'Watchlist', keys: 'Alt+]' },
]
const labels = (platform: NodeJS.Platform, developing = false) =>
  menuTemplate({ platform, developing, rows, run: () => undefined }).map(({ label, role }) => label ?? role)

describe('the native menu', () => {
  test('has the window’s commands by group, on every platform', () => {
    expect(labels('linux')).toEqual(['File', 'editMenu', 'View', 'Watchlist', 'windowMenu'])
    expect(labels('darwin')).toEqual(['appMenu', 'File', 'editMenu', 'View', 'Watchlist', 'windowMenu'])
  })

  test('runs a command by its id, and leaves its keys to the window', () => {
    const run = vi.fn()
    const menu = menuTemplate({ platform: 'win32', developing: false, rows, run })
    const list = menu.find(({ label }) => label === 'Watchlist')?.submenu
    const [first, second] = Array.isArray(list) ? list : []
    expect(second).toMatchObject({ label: 'Next list', accelerator: 'Alt+]', registerAccelerator: false })
    expect(first).not.toHaveProperty('accelerator')
    // The handler of a template takes Electron's own arguments, none of which this one reads.
    ;(first?.click as unknown as () => void)()
    expect(run).toHaveBeenCalledWith('new-list')
  })

  test('shows the developer tools only while developing', () => {
    const roles = (developing: boolean) =>
      JSON.stringify(menuTemplate({ platform: 'linux', developing, rows, run: vi.fn() }))
    expect(roles(false)).not.toContain('toggleDevTools')
    expect(roles(true)).toContain('toggleDevTools')
  })

  test.each([
    ['Ctrl+K', 'CmdOrCtrl+K'],
    ['Alt+Shift+←', 'Alt+Shift+Left'],
    ['?', '?'],
    ['Ctrl++', 'CmdOrCtrl+Plus'],
    ['Esc', 'Escape'],
  ])('%s is %s to Electron', (keys, accelerator) => {
    expect(acceleratorOf(keys)).toBe(accelerator)
  })
})
