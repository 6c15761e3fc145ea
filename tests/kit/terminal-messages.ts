/** What crosses between the test of a window and the thread of its terminal. */
import type { FeedId } from '../../src/shared/base/units.ts'
import type { SettingsPatch } from '../../src/shared/core/settings/settings.ts'
import type { LogEntry } from '../../src/shared/core/status/status.ts'
import type { FaultName } from '../../src/simulator/faults.ts'

export interface TerminalOptions {
  /** What its clock shows at first, UTC ms; `START_MS` by default. */
  readonly startMs?: number
  /** Changes to the default settings, made before a window connects. */
  readonly settings?: SettingsPatch
  /** Record (default) or not. */
  readonly record?: boolean
  /** Subscribe to the symbols of the watchlists (default), and resolve once their feeds are open. */
  readonly feeds?: boolean
}

/** A message to send unchanged to those who subscribed to its symbol. */
export interface SentMessage {
  readonly feed: FeedId
  readonly symbol: string
  readonly raw: string
}

/** What a test does to its terminal. Arguments are plain data, so the test of a window may call from its thread. */
export interface TerminalControls {
  /** Sends messages from the service. Resolves once they were received; rejects if nobody subscribed to one. */
  send(messages: readonly SentMessage[]): Promise<void>
  /** Subscribes to symbols of a feed as the host does, and waits for the acknowledgement. */
  want(feed: FeedId, symbols: readonly string[]): Promise<void>
  /** Moves the clock ahead, ms. */
  pass(ms: number): Promise<void>
  /** Injects a fault into the service; see `simulator/faults.ts`. */
  fault(name: FaultName, params?: Readonly<Record<string, unknown>>): Promise<void>
  /**
   * Records two minutes of BTC-USD, a trade and a quote every six seconds with prices from 100 up, then ends the
   * session and begins another. Quotes are interrupted after a minute.
   */
  recordSession(): Promise<void>
  setSettings(patch: SettingsPatch): Promise<void>
  log(level: LogEntry['level'], from: string, text: string, detail?: string): Promise<void>
}

/** A Wednesday in the afternoon, when every market is open. */
export const START_MS = Date.UTC(2026, 10, 4, 14, 33, 22)

/** What a test asks for, answered with a `Reply`. Ids are the test's choice. */
export type Request = { readonly id: number; readonly terminal: number } &
  /** `restart` keeps the data. */
  (
    | { readonly is: 'start' | 'restart'; readonly options: TerminalOptions }
    | { readonly is: 'control'; readonly method: keyof TerminalControls; readonly args: readonly unknown[] }
    /** `settle` is answered once no call is under way and nothing is about to be sent. */
    | { readonly is: 'settle' | 'close' }
  )
/** What a window does. */
export type FromWindow = { readonly terminal: number; readonly window: number } & (
  | { readonly is: 'dial' | 'hang-up' }
  | { readonly is: 'frame'; readonly text: string }
)
export interface ToWindow {
  readonly is: 'frame'
  readonly window: number
  readonly text: string
}
export interface Reply {
  readonly is: 'reply'
  readonly id: number
  /** Sent to the terminal's windows since its last reply. */
  readonly frames: number
  readonly error: string | null
}
