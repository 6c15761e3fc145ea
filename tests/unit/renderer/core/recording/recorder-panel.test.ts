// What the recorder's panel says of a store that can't be opened.
import '../../browser-stubs.ts'
import { cleanup, screen } from '@testing-library/svelte'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import RecorderPanel from '../../../../../src/renderer/core/recording/RecorderPanel.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { openWindow, render } from '../../open-window.ts'

let terminal: WindowTerminal
let app: WindowState
beforeAll(async () => {
  terminal = await WindowTerminal.start()
})
afterAll(() => terminal.close())
afterEach(() => {
  cleanup()
  app.close()
})

it('counts nothing that a store wasn’t opened for, and promises no gap', async () => {
  app = openWindow(terminal)
  await terminal.settle()
  const why = { code: 'disk-error', message: 'Can’t open the store.', hint: 'Check it.', closeCode: null } as const
  terminal.alter('status', (status) => ({
    ...status,
    recorder: { is: 'broken', why, sinceMs: status.nowMs, lost: 1_234 },
    received: 0,
    stored: 0,
    gapsToday: 0,
    store: { ...status.store, bytes: 0, freeBytes: 0 },
  }))
  const { container } = render(RecorderPanel, { app, close: () => undefined })
  expect(screen.getByText(/^1,234 messages not stored since [\d:]+\.$/)).toBeTruthy()
  expect([...container.querySelectorAll('dd')].map((one) => one.textContent.trim())).toEqual(Array(7).fill('—'))
})
