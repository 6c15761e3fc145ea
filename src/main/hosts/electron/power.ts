/** Reports the computer's sleep and shutdown to the terminal. */
import type { PowerMonitor, WindowSessionEndEvent } from 'electron'

/** The part of a terminal that handles sleep. */
export interface Sleeper {
  sleep(): void
  wake(): void
}

/**
 * Tells the terminal before the machine sleeps and after it woke. `shutdown`: the system is going down now; Linux and
 * macOS are held until the app has quit by itself. Windows tells its windows instead: `followSessionEnd`.
 */
export function followPower(powerMonitor: PowerMonitor, terminal: Sleeper, shutdown: () => void): void {
  powerMonitor.on('suspend', () => terminal.sleep())
  powerMonitor.on('resume', () => terminal.wake())
  // Electron's types leave out the event, which is documented: only preventing it gives us time.
  const goingDown = (event?: { preventDefault(): void }): void => {
    event?.preventDefault()
    shutdown()
  }
  powerMonitor.on('shutdown', goingDown)
}

/** The part of a window that reports the end of the Windows session. Any window will do, even one without a page. */
export interface SessionWindow {
  isVisible(): boolean
  on(event: 'query-session-end' | 'session-end', listener: (event: WindowSessionEndEvent) => void): unknown
}

/**
 * Ends the app when Windows logs off, shuts down or restarts. `holds`: a session isn't closed yet. The app then
 * answers the first query with no, so Windows shows it as still working until it has ended. Windows immediately kills
 * an app that says no without a visible window, so such an app only starts to close.
 */
export function followSessionEnd(window: SessionWindow, holds: () => boolean, shutdown: () => void): void {
  window.on('query-session-end', (event) => {
    if (holds() && window.isVisible()) event.preventDefault()
    shutdown()
  })
  window.on('session-end', shutdown)
}
