import '../../browser-stubs.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow } from '../../open-window.ts'
import { chordHere, usePlatform } from '../../../../../src/renderer/ui/chord-text.ts'
import { keysNamed, titled } from '../../../../../src/renderer/core/window/tooltip.ts'
import { FakeTerminal } from '../../fakes/fake-terminal.ts'

let app: WindowState | undefined
afterEach(() => {
  app?.close()
  app = undefined
  usePlatform('')
})
async function open() {
  const state = openWindow(new FakeTerminal())
  app = state
  await vi.waitFor(() => expect(state.info).toBeDefined())
  return state
}

describe('keys in texts', () => {
  it('are those that are set now, as the platform writes them', async () => {
    const state = await open()
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
