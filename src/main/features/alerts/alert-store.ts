/** Saves the alert files: read once at the start, written soon after a change, and retried if the disk fails. */
import { CodedError, messageOf } from '../../../shared/base/errors.ts'
import type { Alert, AlertEvent } from '../../../shared/features/alerts/types.ts'
import { historyProblem, readAlerts, readAlive, readHistory, type Read } from './alert-format.ts'
import type { AlertsFile, AlertFiles } from './port.ts'

export interface AlertStoreOptions {
  readonly files: AlertFiles
  readonly wallMs: () => number
  readonly log: (level: 'info' | 'warn', text: string, detail?: string) => void
  /** Warns of a file that couldn't be read; windows show it, too. */
  readonly notice: (text: string, detail?: string) => void
  /** The current contents of a file. Not called before `createAlertStore` returns. */
  readonly textOf: (name: Exclude<AlertsFile, 'alive'>) => string
}

/** What was saved, and how to save what changed. */
export interface AlertStore {
  readonly alerts: readonly Alert[]
  readonly history: readonly AlertEvent[]
  /** Why the history may miss events, as a sentence; null: it has all. */
  readonly historyProblem: string | null
  /** When alerts were last evaluated, and whether that ended in order; null if unknown. */
  readonly alive: ReturnType<typeof readAlive>
  /** Writes a file within about a second. */
  soon(name: Exclude<AlertsFile, 'alive'>): void
  /** Writes a file now. Rejects with `disk-error` if that fails, and retries later. */
  keep(name: Exclude<AlertsFile, 'alive'>): Promise<void>
  /** Call about once a second. `isWatching`: whether alerts are being evaluated, which is recorded. */
  sweep(nowMs: number, isWatching: boolean): void
  /** Writes what isn't written yet, and that alerts ended in order. Never rejects. */
  close(isWatching: boolean): Promise<void>
}

const SAVE_AFTER_MS = 1_000
/** The delay before writing to a full disk again. */
const SAVE_AGAIN_MS = 5_000
const ALIVE_EVERY_MS = 10_000
const WHAT: Readonly<Record<AlertsFile, string>> = {
  alerts: 'Alerts',
  history: 'The history of alerts',
  alive: 'When alerts were watched last',
}

/** Whether this much time has passed. True if the clock was set back, because then nobody knows. */
export const isDue = (nowMs: number, sinceMs: number, everyMs: number): boolean =>
  nowMs < sinceMs || nowMs - sinceMs >= everyMs

/** Reads the saved files. Never throws: unreadable ones are set aside and reported. */
export function createAlertStore({ files, wallMs, log, notice, textOf }: AlertStoreOptions): AlertStore {
  /** Files written by a newer version stay unchanged. */
  const locked = new Set<AlertsFile>()
  /** What isn't saved yet: since when, and how long that may wait. */
  const dirty = new Map<AlertsFile, { readonly sinceMs: number; readonly waitMs: number }>()
  const failing = new Set<AlertsFile>()
  const saving = new Set<Promise<unknown>>()
  let problem: string | null = null
  let aliveMs = -Infinity
  let closed = false

  const load = <T>(name: AlertsFile, read: (text: string) => Read<T>): readonly T[] => {
    const what = WHAT[name]
    let text: string | null
    try {
      text = files.load(name)
    } catch (thrown) {
      locked.add(name)
      if (name === 'history') problem = historyProblem(undefined)
      notice(`${what} couldn’t be read. The file is unchanged, and new ones aren’t saved.`, messageOf(thrown))
      return []
    }
    if (text === null) return []
    const { entries, corrupt: damaged, newer } = read(text)
    if (newer) {
      locked.add(name)
      notice(`${what} were saved by a newer Tapedeck. The file is unchanged, and new ones aren’t saved.`)
      return []
    }
    if (damaged === 0) return entries
    const part = damaged === null ? 'couldn’t be read' : `had ${damaged} that couldn’t be read`
    try {
      notice(`${what} ${part}. The file was saved as ${files.setAside(name)}.`)
    } catch (thrown) {
      locked.add(name)
      notice(`${what} ${part}. The file is unchanged, and new ones aren’t saved.`, messageOf(thrown))
    }
    return entries
  }
  const lastAlive = (): AlertStore['alive'] => {
    try {
      return readAlive(files.load('alive'))
    } catch (thrown) {
      // It is rewritten anyway. Only the time before this start isn't reported as a suspension.
      log('warn', `${WHAT.alive} could not be read.`, messageOf(thrown))
      return null
    }
  }

  const soon = (name: AlertsFile, waitMs = SAVE_AFTER_MS): void => {
    if (!dirty.has(name)) dirty.set(name, { sinceMs: wallMs(), waitMs })
  }
  /** Returns the error after logging it, or undefined if the file is on disk or must stay as it is. */
  const write = async (name: AlertsFile): Promise<unknown> => {
    dirty.delete(name)
    if (locked.has(name)) return undefined
    try {
      const text = name === 'alive' ? `${JSON.stringify({ ms: wallMs(), clean: closed })}\n` : textOf(name)
      await files.save(name, text)
      if (failing.delete(name)) log('info', `${WHAT[name]} could be saved again.`)
      return undefined
    } catch (thrown) {
      soon(name, SAVE_AGAIN_MS)
      if (!failing.has(name)) {
        log('warn', `${WHAT[name]} could not be saved; alerts are watched all the same.`, messageOf(thrown))
      }
      failing.add(name)
      return thrown ?? new Error('nothing was said')
    }
  }
  const writeLater = (name: AlertsFile): void => {
    const mine = write(name).finally(() => saving.delete(mine))
    saving.add(mine)
  }

  const history = load('history', (text) => {
    const found = readHistory(text)
    problem = historyProblem(found)
    return found
  })
  return {
    history,
    historyProblem: problem,
    alerts: load('alerts', readAlerts),
    alive: lastAlive(),
    soon: (name) => soon(name),
    async keep(name) {
      const cause = await write(name)
      if (cause === undefined) return
      throw new CodedError('disk-error', 'The change to your alerts is in effect, but couldn’t be saved.', {
        hint: 'Check the free disk space and the folder’s permissions. Saving is retried automatically.',
        cause,
      })
    },
    sweep(nowMs, isWatching) {
      for (const [name, { sinceMs, waitMs }] of [...dirty]) if (isDue(nowMs, sinceMs, waitMs)) writeLater(name)
      if (!isWatching || !isDue(nowMs, aliveMs, ALIVE_EVERY_MS)) return
      aliveMs = nowMs
      writeLater('alive')
    },
    async close(isWatching) {
      closed = true
      const rest = new Set(dirty.keys())
      if (isWatching) rest.add('alive')
      rest.forEach(writeLater)
      await Promise.all(saving)
    },
  }
}
