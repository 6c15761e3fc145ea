/** What the source switch says of an account, and offers on a team. */
import '../../browser-stubs.ts'
import { cleanup, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it } from 'vitest'
import SourcePanel from '../../../../../src/renderer/core/account/SourcePanel.svelte'
import type { AccountState } from '../../../../../src/shared/core/status/status.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow } from '../../open-window.ts'

afterEach(cleanup)

it.each([
  [false, ['Team settings', 'Leave the team']],
  [true, ['Team settings']],
])('offers to leave a team, unless options chose it: %s', (isTeamGiven, offered) => {
  const app = openWindow(new TestTransport())
  app.account = { source: 'team', isTeamGiven } as AccountState // the rest isn't read
  render(SourcePanel, { app, close: () => undefined })
  expect(screen.getAllByRole('button').map((button) => button.textContent.trim())).toEqual(offered)
  app.close()
})

it.each([
  ['valid', 'Signed in as ann.'],
  ['none', 'Not signed in as ann.'],
  ['refused', 'Not signed in as ann.'],
] as const)('says whether the account is signed in: token %s', (token, said) => {
  const app = openWindow(new TestTransport())
  app.account = { source: 'service', user: 'ann', plan: '', token, problem: null } as AccountState // the rest isn't read
  render(SourcePanel, { app, close: () => undefined })
  expect(screen.getByText(/igned in as/).textContent.trim()).toBe(said)
  app.close()
})
