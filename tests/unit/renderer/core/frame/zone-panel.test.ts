import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen } from '@testing-library/svelte'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import ZonePanel from '../../../../../src/renderer/core/frame/ZonePanel.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { openWindow, render } from '../../open-window.ts'

let terminal: WindowTerminal
let app: WindowState
beforeAll(async () => {
  terminal = await WindowTerminal.start({ feeds: false, record: false })
})
afterAll(() => terminal.close())
afterEach(() => {
  cleanup()
  app.close()
})

it.each([
  ['new york', 'America/New_York'],
  ['utc', 'UTC'],
  ['local', 'local'],
])('lists each zone once, and Enter selects the first for “%s”', async (text, zone) => {
  app = openWindow(terminal)
  await terminal.settle()
  render(ZonePanel, { app })
  const box = screen.getByRole('searchbox', { name: 'Search time zones' })
  await fireEvent.input(box, { target: { value: text } })
  const shown = screen.getAllByRole('button').map((one) => one.textContent)
  expect(new Set(shown).size).toBe(shown.length)
  await fireEvent.keyDown(box, { key: 'Enter' })
  expect(app.settings.now.zone).toBe(zone)
})
