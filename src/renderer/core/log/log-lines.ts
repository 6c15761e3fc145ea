/** Filters log entries and formats them as text. */
import type { LogEntry } from '../../../shared/core/status/status.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** The entries at or above a level that contain a text (ignoring case), newest first. */
export function filterLog(entries: readonly LogEntry[], level: LogEntry['level'], text: string): readonly LogEntry[] {
  const from = LOG_LEVELS.indexOf(level)
  const wanted = text.trim().toLowerCase()
  return entries
    .filter(
      (entry) =>
        LOG_LEVELS.indexOf(entry.level) >= from &&
        (wanted === '' || `${entry.from} ${entry.text} ${entry.detail ?? ''}`.toLowerCase().includes(wanted)),
    )
    .toReversed()
}

/** Lines for the clipboard, oldest first. */
export function logText(entries: readonly LogEntry[]): string {
  return entries
    .toReversed()
    .map((entry) =>
      [new Date(entry.atMs).toISOString(), entry.level, entry.from, entry.text, entry.detail ?? '']
        .join('\t')
        .trimEnd(),
    )
    .join('\n')
}
