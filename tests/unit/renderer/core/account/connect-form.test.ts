/** What the account form says once it has signed in. */
import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import ConnectForm from '../../../../../src/renderer/core/account/ConnectForm.svelte'
import type { AccountState, Reason } from '../../../../../src/shared/core/status/status.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow } from '../../open-window.ts'

afterEach(cleanup)

const UNREACHED: Reason = {
  code: 'offline',
  message: 'Couldn’t reach it.',
  hint: 'Check the address.',
  closeCode: null,
}

it.each([
  ['demo', null, 'Signed in to data.example.com. The demo market has stopped.'],
  ['service', null, 'Signed in to data.example.com.'],
  ['demo', UNREACHED, 'Couldn’t reach it. Tapedeck keeps trying. The demo market has stopped.'],
  ['service', UNREACHED, 'Couldn’t reach it. Tapedeck keeps trying.'],
] as const)(
  'claims neither an open feed nor a sign-in that failed, coming from: %s, %o',
  async (source, problem, said) => {
    const account = { source, baseUrl: '', user: '', plan: '', problem } as AccountState // the rest isn't read
    const app = openWindow(new TestTransport().answer('account.connect', () => account))
    app.account = account
    const show = vi.spyOn(app.toasts, 'show')
    const done = vi.fn()
    render(ConnectForm, { app, ondone: done })
    const typed = { 'Base URL': 'https://data.example.com', User: 'ann', Password: 'secret' }
    for (const [label, value] of Object.entries(typed))
      await fireEvent.input(screen.getByLabelText(label), { target: { value } })
    await fireEvent.click(screen.getByRole('button', { name: 'Connect' }))
    await vi.waitFor(() => expect(done).toHaveBeenCalledOnce())
    expect(show.mock.calls).toEqual([[said]])
    app.close()
  },
)

it('returns the focus to the button that was pressed, which a browser takes from it while it is disabled', async () => {
  const transport = new TestTransport()
  for (const command of ['account.connect', 'account.test'] as const)
    transport.answer(command, () => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      throw new Error('refused')
    })
  const app = openWindow(transport)
  render(ConnectForm, { app, ondone: vi.fn() })
  const typed = { 'Base URL': 'https://data.example.com', User: 'ann', Password: 'secret' }
  for (const [label, value] of Object.entries(typed))
    await fireEvent.input(screen.getByLabelText(label), { target: { value } })
  for (const name of ['Connect', 'Test connection']) {
    const button = screen.getByRole('button', { name })
    button.focus()
    await fireEvent.click(button)
    await vi.waitFor(() => expect(screen.getByRole('button', { name })).toHaveProperty('disabled', false))
    await vi.waitFor(() => expect(document.activeElement).toBe(button))
  }
  app.close()
})
