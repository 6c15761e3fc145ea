import { afterEach, expect, it } from 'vitest'
import '../../browser-stubs.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { NOW, status } from '../../../../kit/status.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow } from '../../open-window.ts'

let app: WindowState | undefined
afterEach(() => app?.close())

it.each([
  [0, 'Recording was interrupted and has resumed. Nothing was lost.'],
  [1, 'Recording was interrupted and has resumed. 1 message was lost; the chart shows a gap.'],
  [2, 'Recording was interrupted and has resumed. 2 messages were lost; the chart shows a gap.'],
])('says that %i messages were lost while recording was interrupted', (lost, text) => {
  const transport = new TestTransport().serve('status', () => status())
  app = openWindow(transport)
  transport.send('status', status({ recovered: { atMs: NOW, lost } }))
  expect(app.toasts.list.map((toast) => toast.text)).toContain(text)
})
