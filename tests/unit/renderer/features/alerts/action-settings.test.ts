/** Alert actions in the window: off at first, set up in the settings, chosen in an alert. */
import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/svelte'
import { afterEach, beforeEach, expect, it } from 'vitest'
import ActionSettings from '../../../../../src/renderer/features/alerts/ActionSettings.svelte'
import AlertDialog from '../../../../../src/renderer/features/alerts/AlertDialog.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import type { AlertDraft } from '../../../../../src/shared/features/alerts/types.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { openWindow, render } from '../../open-window.ts'

let app: WindowState
let terminal: WindowTerminal
beforeEach(async () => {
  terminal = await WindowTerminal.start()
  app = openWindow(terminal)
  await terminal.settle()
})
afterEach(() => {
  cleanup()
  app.close()
  terminal.close()
})

const DRAFT: AlertDraft = {
  instrument: instrumentId('crypto', 'BTC-USD'),
  condition: { is: 'price', of: 'last', level: 100, direction: 'up' },
  repeat: null,
  expiresMs: null,
  note: '',
  sound: 'none',
  system: false,
  log: true,
  flash: false,
  enabled: true,
}

it('saves an address and its secret, refuses one that isn’t safe, and offers what is set up in an alert', async () => {
  render(ActionSettings, { app })
  await terminal.settle()
  const address = screen.getAllByLabelText<HTMLInputElement>('Address')[0]
  const save = screen.getAllByText('Save')[0]
  const test = screen.getAllByText<HTMLButtonElement>('Send a test')[0]
  expect([address.value, test.disabled]).toEqual(['', true])
  await fireEvent.input(address, { target: { value: 'http://example.com/hook' } })
  await fireEvent.click(save)
  await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('This address isn’t encrypted.'))
  await fireEvent.input(address, { target: { value: 'http://127.0.0.1:1/hook' } })
  await fireEvent.input(screen.getByLabelText('Signing key'), { target: { value: 'a-key' } })
  await fireEvent.click(save)
  await waitFor(() => expect(test.disabled).toBe(false))
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.getByLabelText<HTMLInputElement>('Signing key').placeholder).toBe('Saved. Type to replace.')
  await fireEvent.click(test)
  await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('Nothing is listening at 127.0.0.1:1'))
  cleanup()

  render(AlertDialog, { app, editing: { id: null, draft: DRAFT }, onclose: () => undefined })
  await waitFor(() => expect(screen.getByLabelText('Action')).toBeTruthy())
  expect(screen.getByLabelText('Action').textContent).not.toContain('ntfy')
})

it('offers no action in an alert while none is set up', async () => {
  render(AlertDialog, { app, editing: { id: null, draft: DRAFT }, onclose: () => undefined })
  await terminal.settle()
  expect(screen.queryByLabelText('Action')).toBeNull()
})
