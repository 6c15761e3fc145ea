/** What the desktop is told of a terminal: pure, from its status and settings. */
import type { Settings } from '../../shared/settings.ts'
import type { StatusState } from '../../shared/state.ts'

export interface DesktopState {
  /** A recording runs, of whichever market. */
  readonly recording: boolean
  /** Of the tray's icon: what is going on, in a line. */
  readonly tooltip: string
  /** The system may not put the app to sleep: what it would miss comes never again. */
  readonly keepAwake: boolean
  /** Closing the last window leaves the app in the tray, recording on. */
  readonly staysWithoutWindow: boolean
  /** Quitting ends a recording of a real market, so it asks first. */
  readonly asksBeforeQuit: boolean
}

const two = (n: number): string => String(n).padStart(2, '0')

/** "0:12:33" of a length in ms. */
export function lengthText(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

export function desktopState(status: StatusState, settings: Pick<Settings, 'desktop'>): DesktopState {
  const { recorder, source } = status
  const recording = recorder.is === 'recording'
  /** Interrupted for a moment: what counts while recording counts then too. */
  const goesOn = recording || recorder.is === 'paused'
  const real = goesOn && source === 'service'
  const where = source === 'demo' ? ' (demo market)' : ''
  const what =
    recorder.is === 'recording'
      ? `recording for ${lengthText(status.nowMs - recorder.sinceMs)}, ${whole.format(status.perSecond)}/s`
      : recorder.is === 'broken'
        ? 'not recording: the store cannot be written'
        : recorder.is === 'paused'
          ? 'recording is paused while the store is moved'
          : 'watching, not recording'
  return {
    recording,
    tooltip: `Tapedeck${where}: ${what}`,
    keepAwake: goesOn,
    staysWithoutWindow: real && settings.desktop.keepInTray,
    asksBeforeQuit: real && settings.desktop.askOnQuit,
  }
}
