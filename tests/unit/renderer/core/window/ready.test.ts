/** What a window asks of the market while the user's settings and panes are on their way. */
import '../../browser-stubs.ts'
import { afterEach, expect, it } from 'vitest'
import { firstLibrary } from '../../../../../src/shared/features/workspace/library.ts'
import { openWindow } from '../../open-window.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'

let app: WindowState | undefined
afterEach(() => app?.close())

it('asks for no quotes of the default watchlist before the user’s own arrives', () => {
  const terminal = new TestTransport()
  const state = openWindow(terminal)
  app = state
  const asked = () => terminal.argsOf('quotes').flatMap(({ instruments }) => instruments)
  expect(state.list.symbols.length).toBeGreaterThan(0)
  state.followQuotes()
  expect(asked()).toEqual([])

  const { now } = state.settings
  terminal.send('settings', {
    ...now,
    watchlists: [{ ...now.watchlists[0], id: 'own', name: 'Own', symbols: [{ asset: 'crypto', symbol: 'SOL-USD' }] }],
    workspace: { ...now.workspace, activeWatchlist: 'own' },
  })
  state.followQuotes()
  expect(asked()).toEqual([])

  terminal.send('workspaces', { ...firstLibrary(), snapshots: {} })
  state.followQuotes()
  expect(asked()).toEqual(['crypto:SOLUSD', 'crypto:BTCUSD']) // the list, and the pane in front
})
