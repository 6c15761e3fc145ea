import { describe, expect, test } from 'vitest'
import {
  desktopState,
  lengthText,
  recorderNotice,
} from '../../../../../../src/main/hosts/electron/desktop/desktop-state.ts'
import { DEFAULT_SETTINGS } from '../../../../../kit/settings.ts'
import type { RecorderState, StatusState } from '../../../../../../src/shared/core/status/status.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'

const now = 1_700_000_000_000
const status = (source: 'demo' | 'service', recorder: RecorderState): StatusState => ({
  nowMs: unixMs(now),
  source,
  origin: 'https://x',
  historyChanges: 0,
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

const retried: RecorderState = { ...broken, start: 'retried' }
const failed: RecorderState = { ...broken, start: 'failed' }
const paused: RecorderState = { ...broken, is: 'paused' }

test.each([
  ['disk-error', 'can’t write to the store'],
  ['store-locked', 'the store is in use'],
  ['store-newer', 'a newer Tapedeck wrote the store'],
  ['store-damaged', 'the store is corrupt'],
  ['not-found', 'the store is missing'],
  ['internal', 'open the window to see why'],
] as const)('the tray says why nothing is recorded: %s', (code, text) => {
  const recorder: RecorderState = { ...broken, why: { ...broken.why, code } }
  const { tooltip } = desktopState(status('service', recorder), DEFAULT_SETTINGS, true)
  expect(tooltip).toBe(`Tapedeck: not recording: ${text}`)
  expect(tooltip.length, 'Windows cuts tooltips').toBeLessThan(128)
})

describe('the desktop', () => {
  test.each([
    ['service', recording, 'Tapedeck: recording for 0:12:33, 1,284/s', true, true, true],
    ['demo', recording, 'Tapedeck (demo market): recording for 0:12:33, 1,284/s', true, false, false],
    ['service', off, 'Tapedeck: watching, not recording', false, false, false],
    ['service', paused, 'Tapedeck: recording paused while the store is being moved', true, true, true],
    ['service', broken, 'Tapedeck: not recording: the disk is full', true, true, true],
    ['demo', broken, 'Tapedeck (demo market): not recording: the disk is full', true, false, false],
    ['service', retried, 'Tapedeck: not recording: the disk is full', true, true, false],
    ['service', failed, 'Tapedeck: not recording: the disk is full', false, false, false],
  ] as const)('%s, %o', (source, recorder, tooltip, keepAwake, staysWithoutWindow, asksBeforeQuit) => {
    expect(desktopState(status(source, recorder), DEFAULT_SETTINGS, true)).toEqual({
      recording: recorder.is === 'recording',
      tooltip,
      keepAwake,
      staysWithoutWindow,
      asksBeforeQuit,
      isUnsaved: recorder === broken,
    })
  })

  test('the user’s own choices hold', () => {
    const desktop = { ...DEFAULT_SETTINGS.desktop, keepInTray: false, askOnQuit: false }
    expect(desktopState(status('service', recording), { desktop }, true)).toMatchObject({
      keepAwake: true,
      staysWithoutWindow: false,
      asksBeforeQuit: false,
    })
    // What would be lost isn't a choice that was made before.
    expect(desktopState(status('service', broken), { desktop }, true).asksBeforeQuit).toBe(true)
  })

  test('does not stay where nothing would lead back to it', () => {
    expect(desktopState(status('service', recording), DEFAULT_SETTINGS, false).staysWithoutWindow).toBe(false)
  })

  test('tells of a recording that breaks and of one that goes on, each once', () => {
    const full = { ...broken, why: { ...broken.why, message: 'The disk is full.', hint: 'Make room.' } } as const
    const was = { recorder: recording }
    const back = { recorder: recording, recovered: { atMs: unixMs(now), lost: 1200 } }
    expect(recorderNotice(undefined, { recorder: full })).toBeNull()
    expect(recorderNotice(was, { recorder: full })).toEqual({
      title: 'Tapedeck can’t record',
      body: 'The disk is full. Make room.',
    })
    expect(recorderNotice({ recorder: full }, { recorder: { ...full, lost: 900 } })).toBeNull()
    expect(recorderNotice({ recorder: full }, back)?.body).toBe('1,200 messages are missing from the recording.')
    // However short it was: between two looks.
    expect(recorderNotice(was, back)?.title).toBe('Tapedeck is recording again')
    expect(recorderNotice(back, back)).toBeNull()
    expect(recorderNotice(was, { recorder: off })).toBeNull()
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
