/** How the app ends: the question before it, the clean end of the terminal, once, whoever asks for it. */
import type { LogEntry } from '../../../../shared/core/status/status.ts'
import type { QuitAnswer } from './quit.ts'

export interface LeavingOptions {
  /** Quitting ends a recording of a real market, and the user wants to be asked. */
  readonly asks: () => boolean
  /** The question. `window`: whether "close the window, record on" is an answer. */
  readonly ask: (window: boolean) => Promise<QuitAnswer>
  /** The app can be reached without a window: it has a tray or a dock. */
  readonly reachable: () => boolean
  /** It goes on when its last window closes, by its settings and what it does. */
  readonly stays: () => boolean
  /** Windows there are now. */
  readonly windows: () => readonly { close(): void; isDestroyed(): boolean }[]
  /** Brings a window to the front, a new one where there is none. */
  readonly show: () => void
  /** Ends the terminal. A rejection is told and changes nothing. */
  readonly end: () => Promise<void>
  /** After `end`, or when it took too long. */
  readonly ended: () => void
  /** Electron's `app.quit`. */
  readonly quit: () => void
  readonly log: (level: LogEntry['level'], text: string, detail?: string) => void
  /** How long `end` may take, ms. */
  readonly patienceMs: number
}

export interface Leaving {
  /** Whether the end has begun: no further window is opened. */
  begun(): boolean
  /** Electron's `before-quit`. */
  beforeQuit(event: { preventDefault(): void }): void
  /** Electron's `window-all-closed`. */
  allClosed(): void
  /** Ends the terminal, once; resolves also when it does not end in time. */
  close(): Promise<void>
  /** Quits without asking: the user was asked, or the system is going down and gives no time for it. */
  now(): void
  /** Lets an installer of updates take over: without asking again, and not before the recording is closed. */
  install(begin: () => void): void
  /** There is nothing to end: the terminal never came to be. */
  nothingToEnd(): void
}

/** How long an installer that was begun may take to end the app, ms: one that failed must not leave it half dead. */
const INSTALLER_MS = 60_000

export function createLeaving(options: LeavingOptions): Leaving {
  const { asks, ask, reachable, stays, windows, show, end, ended, quit, log, patienceMs } = options
  let closing: Promise<void> | undefined
  let closed = false
  let asking = false
  let ending = false
  /** The answer was to record on without a window: that counts for the closing that follows. */
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
      } else if (living().length === 0 && !stays()) show() // who stays must be able to see where
    } catch (thrown) {
      log('error', 'Couldn’t ask before quitting', String(thrown))
      now() // who asks to quit must get out, whatever cannot be asked or kept
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
      const kept = keeps
      keeps = false
      if (stays() || (kept && asks())) return
      quit()
    },
  }
}
