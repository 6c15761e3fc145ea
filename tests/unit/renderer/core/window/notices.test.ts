import { afterEach, expect, it } from 'vitest'
import '../../browser-stubs.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import type { AppInfo } from '../../../../../src/shared/core/status/status.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow } from '../../open-window.ts'

let app: WindowState | undefined
afterEach(() => app?.close())

it('shows each notice of the start once, however often the facts about the app change', () => {
  const info: AppInfo = { host: 'test', version: '', platform: '', storePath: '', notices: ['The settings are gone.'] }
  const transport = new TestTransport().serve('desktop.info', () => info)
  app = openWindow(transport)
  transport.send('desktop.info', { ...info, storePath: '/elsewhere' })
  const shown = app.toasts.list.filter(({ text }) => text === 'The settings are gone.')
  expect(shown).toMatchObject([{ tone: 'bad', action: { label: 'Show log' } }])
})
