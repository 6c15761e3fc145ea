/** What the account form says once it has signed in. */
import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import ConnectForm from '../../../../../src/renderer/core/account/ConnectForm.svelte'
import type { AccountState } from '../../../../../src/shared/core/status/status.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow } from '../../open-window.ts'

afterEach(cleanup)

it.each([
  ['demo', 'Signed in to data.example.com. The demo market has stopped.'],
  ['service', 'Signed in to data.example.com.'],
] as const)('claims no open feed after signing in, coming from: %s', async (source, said) => {
  const account = { source, baseUrl: '', user: '', plan: '' } as AccountState // the rest isn't read
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
})
