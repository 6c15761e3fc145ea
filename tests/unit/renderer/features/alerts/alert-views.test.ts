// The alerts of a window that changes its view.
import '../../browser-stubs.ts'
import { afterEach, expect, it } from 'vitest'
import { alerts } from '../../../../../src/renderer/features/alerts/feature.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import type { CallValue } from '../../../../../src/shared/contracts.ts'
import type { AlertEvent } from '../../../../../src/shared/features/alerts/types.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow, serviceOf } from '../../open-window.ts'

let app: WindowState | undefined
afterEach(() => app?.close())

it('shows no live event in a replay, even if its page arrives late', async () => {
  const page = Promise.withResolvers<CallValue<'alerts.history'>>()
  app = openWindow(new TestTransport().answer('alerts.history', () => page.promise))
  const all = serviceOf(app, alerts).alerts
  all.follow('replay-1')
  const event: AlertEvent = {
    id: 1,
    is: 'fired',
    alert: 'a1',
    instrument: instrumentId('crypto', 'BTC-USD'),
    condition: { is: 'price', of: 'last', level: 1, direction: 'up' },
    note: '',
    atMs: unixMs(9_000),
    eventMs: null,
    value: 2,
    before: null,
  }
  page.resolve({ events: [event], more: true })
  await page.promise
  await Promise.resolve()
  expect(all.history).toEqual([])
})

it('doesn’t offer to create an alert again that is watched but not on disk', async () => {
  app = openWindow(
    new TestTransport().answer('alerts.save', () => {
      throw new CodedError('disk-error', 'The disk is full.', { hint: 'Free some space.' })
    }),
  )
  const all = serviceOf(app, alerts).alerts
  all.draft(instrumentId('crypto', 'BTC-USD'))
  const draft = all.editing?.draft
  if (!draft) throw new Error('no draft')
  expect(await all.save(null, draft)).toBeNull()
  expect(app.toasts.list.map(({ text }) => text)).toEqual(['The disk is full. Free some space.'])
})
