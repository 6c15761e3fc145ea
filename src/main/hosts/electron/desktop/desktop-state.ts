/** Computes the desktop's tray, badge and sleep state from a terminal's status and settings. Pure. */
import type { ErrorCode } from '../../../../shared/base/errors.ts'
import type { Settings } from '../../../../shared/core/settings/settings.ts'
import type { StatusState } from '../../../../shared/core/status/status.ts'
import type { Notice } from '../../../terminal/host.ts'

export interface DesktopState {
  /** Whether any market is being recorded. */
  readonly recording: boolean
  /** The tray icon's tooltip. */
  readonly tooltip: string
  /** Keeps the system from sleeping: messages missed during sleep can't be received later. */
  readonly keepAwake: boolean
  /** Closing the last window leaves the app recording in the tray. */
  readonly staysWithoutWindow: boolean
  /** Quitting would end a session of a real market, so the app asks first. */
  readonly asksBeforeQuit: boolean
  /** A session is open, but the store can't be written to: quitting would lose what waits in memory. */
  readonly isUnsaved: boolean
}

const two = (n: number): string => String(n).padStart(2, '0')

/** "0:12:33" of a length in ms. */
export function lengthText(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** Why nothing is recorded, in a few words: a system cuts long tooltips. */
const BROKEN_TEXT: Readonly<Partial<Record<ErrorCode, string>>> = {
  'disk-full': 'the disk is full',
  'disk-error': 'can’t write to the store',
  'store-locked': 'the store is in use',
  'store-newer': 'a newer Tapedeck wrote the store',
  'store-damaged': 'the store is corrupt',
  'not-found': 'the store is missing',
}

/** `tray`: whether the desktop has one. Without it, an app without a window can't be reached. */
export function desktopState(status: StatusState, settings: Pick<Settings, 'desktop'>, tray: boolean): DesktopState {
  const { recorder, source } = status
  const recording = recorder.is === 'recording'
  /** A recording that is paused, fails or is still to begin counts as recording if it resumes automatically. */
  const goesOn = recorder.is !== 'off' && !(recorder.is === 'broken' && recorder.start === 'failed')
  const isUnsaved = recorder.is === 'broken' && recorder.start === undefined
  const endsSession = recording || recorder.is === 'paused'
  const real = goesOn && source === 'service'
  const where = source === 'demo' ? ' (demo market)' : ''
  const what =
    recorder.is === 'recording'
      ? `recording for ${lengthText(status.nowMs - recorder.sinceMs)}, ${whole.format(status.perSecond)}/s`
      : recorder.is === 'broken'
        ? `not recording: ${BROKEN_TEXT[recorder.why.code] ?? 'open the window to see why'}`
        : recorder.is === 'paused'
          ? 'recording paused while the store is being moved'
          : 'watching, not recording'
  return {
    recording,
    tooltip: `Tapedeck${where}: ${what}`,
    keepAwake: goesOn,
    staysWithoutWindow: tray && real && settings.desktop.keepInTray,
    asksBeforeQuit: real && ((endsSession && settings.desktop.askOnQuit) || isUnsaved),
    isUnsaved,
  }
}

/** The notification for a change of the recorder from `before`; null if there is nothing to say. */
export function recorderNotice(
  before: Pick<StatusState, 'recorder' | 'recovered'> | undefined,
  { recorder, recovered }: Pick<StatusState, 'recorder' | 'recovered'>,
): Notice | null {
  if (before === undefined) return null
  if (recorder.is === 'broken') {
    if (before.recorder.is === 'broken') return null
    const { message, hint } = recorder.why
    return { title: 'Tapedeck can’t record', body: [message, hint].filter(Boolean).join(' ') }
  }
  if (recovered === undefined || recovered.atMs === before.recovered?.atMs) return null
  return {
    title: 'Tapedeck is recording again',
    body: `${whole.format(recovered.lost)} messages are missing from the recording.`,
  }
}
