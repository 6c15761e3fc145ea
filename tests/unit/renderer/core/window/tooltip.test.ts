import '../../browser-stubs.ts'
import { afterEach, describe, expect, it } from 'vitest'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow } from '../../open-window.ts'
import { chordHere, usePlatform } from '../../../../../src/renderer/ui/chord-text.ts'
import { keysNamed, titled } from '../../../../../src/renderer/core/window/tooltip.ts'
import { TestTransport } from '../../../../kit/transport.ts'

let app: WindowState | undefined
afterEach(() => {
  app?.close()
  app = undefined
  usePlatform('')
})
function open() {
  const info = { host: 'test', version: '', platform: 'linux', storePath: '' } as const
  app = openWindow(new TestTransport().serve('desktop.info', () => info))
  return app
}

describe('keys in texts', () => {
  it('are those that are set now, as the platform writes them', () => {
    const state = open()
    expect(titled(state, 'Speed', 'replay-faster', 'replay-slower')).toBe('Speed (Ctrl+↑, Ctrl+↓)')
    state.set({ shortcuts: { keys: { 'replay-faster': ['Ctrl+Alt+U'], 'replay-slower': [], symbol: [] } } })
    expect(titled(state, 'Speed', 'replay-faster', 'replay-slower')).toBe('Speed (Ctrl+Alt+U)')
    expect(keysNamed(state)).toMatchObject({ palette: '“Symbol or command”', menu: 'Shift+F10' })
    if (state.info) state.info = { ...state.info, platform: 'darwin' }
    expect(titled(state, 'Speed', 'replay-faster')).toBe('Speed (⌘⌥U)')
    expect(titled(state, 'Speed', 'replay-slower')).toBe('Speed')
  })
  it('that never change are written as the platform does', () => {
    expect(chordHere('Ctrl+Enter')).toBe('Ctrl+Enter')
    usePlatform('darwin')
    expect(chordHere('Ctrl+Enter')).toBe('⌘Enter')
  })
})
