/** Decides whether to add the sample session, and adds it again if an earlier start was closed too soon. */
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import type { SessionRow } from '../../../shared/core/recording/session.ts'
import type { WatchSymbol } from '../../../shared/core/settings/settings.ts'
import type { SessionId } from '../../../shared/base/units.ts'
import type { StoreLibrary } from '../../core/store/types/library.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { storeSample, type ReadHistory } from './sample-session.ts'

export interface SampleOffer {
  /** Resolves once the sample session has its place in the store, or isn't wanted. Never rejects. */
  offer(): Promise<void>
  /** Cancels the sample session if it isn't stored yet; the next start tries again. */
  close(): Promise<void>
}

/** Records across restarts that a sample session was begun and isn't stored yet. */
export interface PendingSample {
  isSet(): boolean
  set(): void
  clear(): void
}

export interface SampleOfferOptions {
  /** Whether this start may add it at all: it has a window and uses the default store. */
  readonly isAllowed: boolean
  readonly isFirstStart: boolean
  /** Whether the live market is the demo market now. */
  readonly isDemo: () => boolean
  readonly pending: PendingSample
  readonly reader: Pick<StoreReader, 'sessions'>
  /** Throws if the store isn't open for writing. */
  readonly library: () => Pick<StoreLibrary, 'importSession'>
  readonly read: ReadHistory
  readonly newId: (startedMs: number) => SessionId
  readonly symbols: () => readonly WatchSymbol[]
  readonly seed: number | undefined
  readonly wallMs: () => number
  /** Called when it begins to be made, and with false when it is stored or couldn't be. */
  readonly adding: (isAdding: boolean) => void
  /** `notice` is shown to the user. */
  readonly added: (messages: number, notice: string) => void
  readonly failed: (thrown: unknown) => void
}

/** The demo market's own sessions are recorded; only the sample session is imported. */
const isSample = ({ source, imported }: SessionRow): boolean => source === 'demo' && imported

/** Adds the sample session if the store has no sessions, or if an earlier start was closed before it was stored. */
export function createSampleOffer(options: SampleOfferOptions): SampleOffer {
  const { pending } = options
  const stop = new AbortController()
  let stored: Promise<void> = Promise.resolve()

  /** Where the sample session should end, UTC ms; null: it isn't wanted. */
  async function findEnd(): Promise<number | null> {
    if (!options.isAllowed || !options.isDemo() || !(options.isFirstStart || pending.isSet())) return null
    const sessions = await options.reader.sessions(true)
    if (pending.isSet() ? sessions.some(isSample) : sessions.length > 0) {
      pending.clear()
      return null
    }
    // Imported sessions come before recorded ones in the store, so this one must end before the first of its source
    // began.
    const starts = sessions.flatMap(({ source, startedMs }) => (source === 'demo' ? [startedMs] : []))
    return Math.floor(Math.min(options.wallMs(), ...starts))
  }

  const add = (messages: number): void => {
    try {
      pending.clear()
    } catch {
      // The next start finds the session and clears the pending mark.
    }
    const listed = 'A sample session of the demo market is in Sessions'
    // If the user has signed in since, the charts show a different market.
    options.added(messages, options.isDemo() ? `${listed}, and charts have its history.` : `${listed}.`)
  }

  return {
    async offer() {
      try {
        const toMs = await findEnd()
        if (toMs === null) return
        const library = options.library()
        pending.set()
        const sample = storeSample({
          library,
          read: options.read,
          newId: options.newId,
          symbols: options.symbols(),
          seed: options.seed,
          toMs,
          signal: stop.signal,
        })
        options.adding(true)
        stored = sample.stored
          .then(add)
          .catch((thrown: unknown) => {
            if (!stop.signal.aborted) options.failed(thrown)
          })
          .finally(() => options.adding(false))
        await sample.begun
      } catch (thrown) {
        options.failed(thrown)
      }
    },
    async close() {
      stop.abort()
      await stored
    },
  }
}

/** A pending sample session, recorded as an empty file. `set` and `clear` throw disk errors. */
export function pendingSampleFile(file: string): PendingSample {
  return {
    isSet: () => existsSync(file),
    set: () => closeSync(openSync(file, 'w', 0o600)),
    clear: () => rmSync(file, { force: true }),
  }
}
