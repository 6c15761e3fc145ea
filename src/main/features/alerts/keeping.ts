/** The files of the alerts: read once at the start, written soon after a change, and again where the disk refused. */
import { CodedError } from '../../../shared/base/errors.ts'
import type { Alert, AlertEvent } from '../../../shared/features/alerts/types.ts'
import { readAlerts, readAlive, readHistory, type Read } from './kept.ts'
import type { AlertsFile, AlertsKeeper } from './port.ts'

export interface KeepingOptions {
  readonly keeper: AlertsKeeper
  readonly wallMs: () => number
  readonly log: (level: 'info' | 'warn', text: string, detail?: string) => void
  /** What a file holds now; not asked before `createKeeping` has answered. */
  readonly textOf: (name: Exclude<AlertsFile, 'alive'>) => string
}

/** What was kept, and how to keep what is now. */
export interface Keeping {
  readonly alerts: readonly Alert[]
  readonly history: readonly AlertEvent[]
  /** When alerts were watched last, and whether that ended in order; null: not known. */
  readonly alive: ReturnType<typeof readAlive>
  /** A file is to be written within about a second. */
  soon(name: Exclude<AlertsFile, 'alive'>): void
  /** Writes a file now. Rejects with `disk-error` where that fails; it is tried again. */
  keep(name: Exclude<AlertsFile, 'alive'>): Promise<void>
  /** Call about once a second. `isWatching`: that alerts are watched is worth remembering. */
  sweep(nowMs: number, isWatching: boolean): void
  /** Writes what is not written yet, and that it ended in order. Never rejects. */
  close(isWatching: boolean): Promise<void>
}

const SAVE_AFTER_MS = 1_000
/** A disk that was full is asked again so often. */
const SAVE_AGAIN_MS = 5_000
const ALIVE_EVERY_MS = 10_000
const WHAT: Readonly<Record<AlertsFile, string>> = {
  alerts: 'Alerts',
  history: 'The history of alerts',
  alive: 'When alerts were watched last',
}

/** Whether so long has gone by; where the clock was set back nobody knows, and it is. */
export const isDue = (nowMs: number, sinceMs: number, everyMs: number): boolean =>
  nowMs < sinceMs || nowMs - sinceMs >= everyMs

/** What was thrown, for the log. */
export const said = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** Reads what was kept. Never throws: what cannot be read is put aside and told. */
export function createKeeping({ keeper, wallMs, log, textOf }: KeepingOptions): Keeping {
  /** Files that a newer version wrote stay as they are. */
  const locked = new Set<AlertsFile>()
  /** What is not kept yet: since when, and how long that may wait. */
  const dirty = new Map<AlertsFile, { readonly sinceMs: number; readonly waitMs: number }>()
  const failing = new Set<AlertsFile>()
  const saving = new Set<Promise<unknown>>()
  let aliveMs = -Infinity
  let closed = false

  const load = <T>(name: AlertsFile, read: (text: string) => Read<T>): readonly T[] => {
    const what = WHAT[name]
    let text: string | null
    try {
      text = keeper.load(name)
    } catch (thrown) {
      locked.add(name)
      log('warn', `${what} could not be read, and stay as they are on disk.`, said(thrown))
      return []
    }
    if (text === null) return []
    const { entries, damaged, newer } = read(text)
    if (newer) {
      locked.add(name)
      log('warn', `${what} were kept by a newer Tapedeck and stay as they are; new ones are not kept.`)
      return []
    }
    if (damaged === 0) return entries
    const part = damaged === null ? 'were damaged' : `had ${damaged} that could not be read`
    try {
      log('warn', `${what} ${part}; the file is kept as ${keeper.setAside(name)}.`)
    } catch (thrown) {
      locked.add(name)
      log('warn', `${what} ${part}, and the file cannot be put aside: it stays as it is.`, said(thrown))
    }
    return entries
  }
  const lastAlive = (): Keeping['alive'] => {
    try {
      return readAlive(keeper.load('alive'))
    } catch (thrown) {
      // It is written anew all the same: only the stretch before this start is not told as blind.
      log('warn', `${WHAT.alive} could not be read.`, said(thrown))
      return null
    }
  }

  const soon = (name: AlertsFile, waitMs = SAVE_AFTER_MS): void => {
    if (!dirty.has(name)) dirty.set(name, { sinceMs: wallMs(), waitMs })
  }
  /** Answers what was thrown, after it was logged; undefined: it is on disk, or stays as it is. */
  const write = async (name: AlertsFile): Promise<unknown> => {
    dirty.delete(name)
    if (locked.has(name)) return undefined
    try {
      const text = name === 'alive' ? `${JSON.stringify({ ms: wallMs(), clean: closed })}\n` : textOf(name)
      await keeper.save(name, text)
      if (failing.delete(name)) log('info', `${WHAT[name]} could be saved again.`)
      return undefined
    } catch (thrown) {
      soon(name, SAVE_AGAIN_MS)
      if (!failing.has(name)) {
        log('warn', `${WHAT[name]} could not be saved; alerts are watched all the same.`, said(thrown))
      }
      failing.add(name)
      return thrown ?? new Error('nothing was said')
    }
  }
  const writeLater = (name: AlertsFile): void => {
    const mine = write(name).finally(() => saving.delete(mine))
    saving.add(mine)
  }

  return {
    history: load('history', readHistory),
    alerts: load('alerts', readAlerts),
    alive: lastAlive(),
    soon: (name) => soon(name),
    async keep(name) {
      const cause = await write(name)
      if (cause === undefined) return
      throw new CodedError('disk-error', 'The alert is watched, but could not be saved.', {
        hint: 'Check the free disk space and the folder’s permissions.',
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
