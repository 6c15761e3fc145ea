/** Finds the session for a typed time, such as `REPLAY 09:30`. Pure. */
import type { SessionRow } from '../../../shared/core/recording/session.ts'
import { parseTimeEntry } from '../../text/time-entry.ts'

export type ReplayPlace =
  /** `atMs`: UTC ms; null for the session's start. */
  | { readonly is: 'found'; readonly session: string; readonly atMs: number | null }
  | { readonly is: 'none' }
  /** Nothing was recorded at that time, or the text isn't a time; `why` explains it. */
  | { readonly is: 'not then'; readonly why: string }

/**
 * The session that contains the typed time; if several do, the latest instant wins. An empty text means the newest
 * session that has ended, else the one being recorded. `zone`: IANA zone for times that don't name one.
 */
export function replayPlace(typed: string, rows: readonly SessionRow[], zone: string, nowMs: number): ReplayPlace {
  const usable = rows
    .filter((row) => row.messages > 0 && row.binnedMs === null)
    .toSorted((a, b) => b.startedMs - a.startedMs)
  const newest = usable.find((row) => !row.live) ?? usable[0]
  if (!newest) return { is: 'none' }
  if (typed.trim() === '') return { is: 'found', session: newest.session, atMs: null }
  let best: { session: string; atMs: number } | undefined
  let why = ''
  for (const row of usable) {
    const entry = parseTimeEntry(typed, { zone, nowMs, fromMs: row.startedMs, toMs: row.endedMs ?? nowMs })
    if (!entry.ok) why ||= entry.why
    else if (!best || entry.ms > best.atMs) best = { session: row.session, atMs: entry.ms }
  }
  return best ? { is: 'found', ...best } : { is: 'not then', why }
}
