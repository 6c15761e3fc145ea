/** The log as this window holds it. */
import type { LogEntry } from '../../shared/state.ts'
import type { Transport } from '../../shared/transport.ts'
import { FrameTask, type RequestFrame } from '../ui/frames.ts'
import { keepStream } from './kept-stream.ts'

const KEEP = 2_000
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

export class Log {
  entries = $state.raw<readonly LogEntry[]>([])
  dropped = $state(0)
  #pending: LogEntry[] = []
  readonly #task: FrameTask
  readonly #close: () => void

  constructor(transport: Transport, frame?: RequestFrame) {
    this.#task = new FrameTask(() => {
      // A stream that was opened anew repeats what is known.
      const last = this.entries.at(-1)?.id ?? -1
      const added = this.#pending.filter((entry) => entry.id > last)
      this.#pending = []
      if (added.length > 0) this.entries = [...this.entries, ...added].slice(-KEEP)
    }, frame)
    this.#close = keepStream(transport, 'log', {}, (value) => {
      this.#pending.push(...value.entries)
      this.dropped += value.dropped
      this.#task.ask()
    })
  }

  close(): void {
    this.#close()
    this.#task.stop()
  }
}

/** Newest first, from a level up, holding a text in any case. */
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
