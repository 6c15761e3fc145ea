import { describe, expect, test } from 'vitest'
import { desktopState, lengthText } from '../../../../src/main/electron/desktop-state.ts'
import { DEFAULT_SETTINGS } from '../../../../src/shared/settings.ts'
import type { RecorderState, StatusState } from '../../../../src/shared/state.ts'
import { unixMs } from '../../../../src/shared/units.ts'

const now = 1_700_000_000_000
const status = (source: 'demo' | 'service', recorder: RecorderState): StatusState => ({
  nowMs: unixMs(now),
  source,
  origin: 'https://x',
  feeds: [],
  recorder,
  received: 0,
  stored: 0,
  perSecond: 1284.4,
  backlogBytes: 0,
  receiveToStored: null,
  store: { path: '', bytes: 0, freeBytes: 0, bytesPerHour: null },
  skewMs: null,
  gapsToday: 0,
  message: '',
})
const recording: RecorderState = { is: 'recording', session: 's', sinceMs: unixMs(now - 753_000), paused: false }
const off: RecorderState = { is: 'off' }
const broken: RecorderState = {
  is: 'broken',
  why: { code: 'disk-full', message: '', hint: '', closeCode: null },
  sinceMs: unixMs(now),
  lost: 3,
}

const paused: RecorderState = { ...broken, is: 'paused' }

describe('the desktop', () => {
  test.each([
    ['service', recording, 'Tapedeck: recording for 0:12:33, 1,284/s', true, true, true],
    ['demo', recording, 'Tapedeck (demo market): recording for 0:12:33, 1,284/s', true, false, false],
    ['service', off, 'Tapedeck: watching, not recording', false, false, false],
    ['service', paused, 'Tapedeck: recording is paused while the store is moved', true, true, true],
    ['service', broken, 'Tapedeck: not recording: the store cannot be written', false, false, false],
  ] as const)('%s, %o', (source, recorder, tooltip, keepAwake, staysWithoutWindow, asksBeforeQuit) => {
    expect(desktopState(status(source, recorder), DEFAULT_SETTINGS)).toEqual({
      recording: recorder.is === 'recording',
      tooltip,
      keepAwake,
      staysWithoutWindow,
      asksBeforeQuit,
    })
  })

  test('the user’s own choices hold', () => {
    const desktop = { ...DEFAULT_SETTINGS.desktop, keepInTray: false, askOnQuit: false }
    expect(desktopState(status('service', recording), { desktop })).toMatchObject({
      keepAwake: true,
      staysWithoutWindow: false,
      asksBeforeQuit: false,
    })
  })

  test.each([
    [-5, '0:00:00'],
    [59_999, '0:00:59'],
    [3_600_000, '1:00:00'],
    [100 * 3_600_000, '100:00:00'],
  ])('%d ms is %s', (ms, text) => {
    expect(lengthText(ms)).toBe(text)
  })
})
