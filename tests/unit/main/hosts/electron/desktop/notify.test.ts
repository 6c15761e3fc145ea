import { EventEmitter } from 'node:events'
import { beforeEach, expect, test, vi } from 'vitest'

const shown: FakeNotification[] = []
let supported = true
class FakeNotification extends EventEmitter {
  readonly options: Record<string, unknown>
  constructor(options: Record<string, unknown>) {
    super()
    this.options = options
  }
  static isSupported(): boolean {
    return supported
  }
  show(): void {
    shown.push(this)
  }
}
vi.mock('electron', () => ({ Notification: FakeNotification }))
const { showNotice } = await import('../../../../../../src/main/hosts/electron/desktop/notify.ts')

const did: string[] = []
const host = (platform: NodeJS.Platform, window = true) => ({
  platform,
  window: () => window,
  show: () => void did.push('show'),
  snooze: (alert: string, forMs: number) => void did.push(`snooze ${alert} ${forMs / 60_000} min`),
  switchOff: (alert: string) => void did.push(`off ${alert}`),
})
const notice = { title: 'BTC-USD: crossed 60,000', body: 'Sell' }
beforeEach(() => {
  shown.length = did.length = 0
  supported = true
})

test('a click shows the window, wherever it is', () => {
  showNotice(notice, host('linux', false))
  shown[0].emit('click')
  expect(did).toEqual(['show'])
})

test('is silent only while a window makes the sound', () => {
  showNotice(notice, host('linux', true))
  showNotice(notice, host('linux', false))
  expect(shown.map(({ options }) => options['silent'])).toEqual([true, false])
})

test.each(['darwin', 'win32'] as const)(
  '%s offers to put off what rang, and to switch off what may again',
  (platform) => {
    showNotice({ ...notice, alert: 'a1', again: true }, host(platform))
    expect(shown[0].options['actions']).toEqual([
      { type: 'button', text: 'Snooze for 15 minutes' },
      { type: 'button', text: 'Turn this alert off' },
    ])
    shown[0].emit('action', { actionIndex: 0 })
    shown[0].emit('action', { actionIndex: 1 })
    expect(did).toEqual(['snooze a1 15 min', 'off a1'])
  },
)

test('one that rang for the last time can be put off: it then reminds', () => {
  showNotice({ ...notice, alert: 'a1', again: false }, host('darwin'))
  expect(shown[0].options['actions']).toEqual([{ type: 'button', text: 'Snooze for 15 minutes' }])
  shown[0].emit('action', { actionIndex: 0 })
  expect(did).toEqual(['snooze a1 15 min'])
})

test('offers nothing where no alert rang, or the system has no buttons', () => {
  showNotice(notice, host('darwin'))
  showNotice({ ...notice, alert: 'a1', again: true }, host('linux'))
  for (const { options } of shown) expect(options).not.toHaveProperty('actions')
})

test('does nothing where the system has no notifications', () => {
  supported = false
  showNotice(notice, host('linux'))
  expect(shown).toEqual([])
})
