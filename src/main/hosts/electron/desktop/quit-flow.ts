/** How the app quits: it asks first if needed, and closes the terminal once, whatever requested the quit. */
import type { LogEntry } from '../../../../shared/core/status/status.ts'
import type { QuitAnswer } from './quit.ts'

export interface LeavingOptions {
  /** Whether to ask: quitting ends a session of a real market, and the user didn't opt out. */
  readonly asks: () => boolean
  /** Asks. `window`: whether "Close the window, keep recording" is offered. */
  readonly ask: (window: boolean) => Promise<QuitAnswer>
  /** The app can be reached without a window: it has a tray or a dock. */
  readonly reachable: () => boolean
  /** Whether the app keeps running when its last window closes. */
  readonly stays: () => boolean
  readonly windows: () => readonly { close(): void; isDestroyed(): boolean }[]
  /** Brings a window to the front, or opens one. */
  readonly show: () => void
  /** Closes the terminal. A rejection is logged; quitting continues. */
  readonly end: () => Promise<void>
  /** Called after `end`, or when it took too long. */
  readonly ended: () => void
  /** Electron's `app.quit`. */
  readonly quit: () => void
  readonly log: (level: LogEntry['level'], text: string, detail?: string) => void
  /** How long `end` may take, ms. */
  readonly patienceMs: number
}

export interface Leaving {
  /** Whether quitting has begun, so that no more windows open. */
  begun(): boolean
  beforeQuit(event: { preventDefault(): void }): void
  /** Electron's `window-all-closed`. */
  allClosed(): void
  /** Closes the terminal once. Resolves even if it doesn't close in time. */
  close(): Promise<void>
  /** Quits without asking: the user has answered, or the system is shutting down. */
  now(): void
  /** Hands over to an update installer once the session is closed, without asking again. */
  install(begin: () => void): void
  /** There is nothing to close: the terminal failed to start. */
  nothingToEnd(): void
}

/** If the installer hasn't ended the app after this, ms, it failed and the app exits by itself. */
const INSTALLER_MS = 60_000

export function createLeaving(options: LeavingOptions): Leaving {
  const { asks, ask, reachable, stays, windows, show, end, ended, quit, log, patienceMs } = options
  let closing: Promise<void> | undefined
  let closed = false
  let asking = false
  let ending = false
  /** The user chose to keep recording without a window; applies to the close that follows. */
  let keeps = false

  const living = () => windows().filter((one) => !one.isDestroyed())
  const close = (): Promise<void> => {
    closing ??= (async () => {
      const patience = new Promise<void>((resolve) => {
        setTimeout(resolve, patienceMs).unref()
      })
      const over = end().catch((thrown: unknown) => {
        log('error', 'The terminal didn’t close cleanly', String(thrown))
      })
      await Promise.race([over, patience])
      ended()
      closed = true
    })()
    return closing
  }
  const now = (): void => {
    ending = true
    void close().then(quit)
  }
  async function question(): Promise<void> {
    asking = true
    try {
      const answer = await ask(living().length > 0 && reachable())
      if (answer === 'end') return now()
      if (answer === 'window') {
        keeps = true
        for (const one of living()) one.close()
      } else if (living().length === 0 && !stays()) show() // Staying means showing a window.
    } catch (thrown) {
      log('error', 'Couldn’t ask before quitting', String(thrown))
      now() // Quitting must work even if asking or saving fails.
    } finally {
      asking = false
    }
  }
  return {
    begun: () => closing !== undefined,
    close,
    now,
    nothingToEnd: () => {
      closed = true
    },
    install(begin) {
      ending = true
      void close()
        .then(begin)
        .catch((thrown: unknown) => {
          log('error', 'Couldn’t install the update', String(thrown))
          quit()
        })
      setTimeout(quit, patienceMs + INSTALLER_MS).unref()
    },
    beforeQuit(event) {
      if (closed) return
      event.preventDefault()
      if (asking) return
      if (!ending && asks()) void question()
      else now()
    },
    allClosed() {
      const keepsRecording = keeps
      keeps = false
      if (stays() || (keepsRecording && asks())) return
      quit()
    },
  }
}
