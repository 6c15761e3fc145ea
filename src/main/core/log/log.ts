/**
 * What happened, in sentences: a ring for windows and a file for later. Anything that looks like a
 * secret is blotted out here, once, whoever wrote the line.
 */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LogValue } from '../../../shared/core/status/contract.ts'
import type { LogEntry } from '../../../shared/core/status/status.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import { unixMs } from '../../../shared/base/units.ts'
import { redact } from '../../base/redaction.ts'

type Level = LogEntry['level']
const LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** Entries a window gets on opening, and the most that a slow one is behind. */
const RING = 500
const MAX_TEXT = 2_000
/** A log file is put aside as `.1` at this size: at most twice as much is kept. */
export const LOG_FILE_BYTES = 2_000_000

/** Where lines are kept; failing must be silent, because there is nowhere left to say it. */
export interface LogSink {
  write(line: string): void
}

export interface Log {
  add(level: Level, from: string, text: string, detail?: string): void
  stream(wake: () => void): StreamSource<LogValue>
  /** Entries kept, oldest first. */
  readonly entries: readonly LogEntry[]
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+\S+/gi, '$1 ***'],
  [/\b(authorization"?\s*[:=]\s*"?(?:[a-z-]+\s+)?)[^\s",;}]+/gi, '$1***'],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, '***'],
  [
    /("?(?:password|passwd|secret|access|refresh|token|api[_-]?key)"?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|[^\s,;&}]+)/gi,
    '$1***',
  ],
  [/(\/\/[^/\s:@]+):[^/\s@]+@/g, '$1:***@'],
]

/** A text without what looks like a token, a password or a key, and without what is `known` to be one. */
export function blot(text: string, known: readonly string[] = []): string {
  // Before it is cut: a half of a secret looks like none.
  const told = redact(text, known)
  return SECRETS.reduce((safe, [pattern, by]) => safe.replace(pattern, by), told.slice(0, MAX_TEXT))
}

/** Appends to a file that is put aside when it is large. */
export function fileSink(file: string, maxBytes = LOG_FILE_BYTES): LogSink {
  let size = -1
  return {
    write(line) {
      try {
        if (size < 0) {
          mkdirSync(dirname(file), { recursive: true })
          size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
        }
        if (size > maxBytes) {
          renameSync(file, `${file}.1`)
          size = 0
        }
        appendFileSync(file, `${line}\n`)
        size += Buffer.byteLength(line) + 1
      } catch {
        size = -1 // a full or read-only disk must not take the terminal down; the next line tries again
      }
    },
  }
}

/** An empty log. `level` is the least that is kept; `known`: secrets that no line may hold. */
export function createLog(
  wallMs: () => number,
  level: Level,
  sink: LogSink | null,
  known: () => readonly string[] = () => [],
): Log {
  const least = LEVELS.indexOf(level)
  const entries: LogEntry[] = []
  const wakes = new Set<() => void>()
  let nextId = 1
  return {
    entries,
    add(at, from, text, detail) {
      if (LEVELS.indexOf(at) < least) return
      const entry: LogEntry = {
        id: nextId,
        atMs: unixMs(wallMs()),
        level: at,
        from,
        text: blot(text, known()),
        detail: detail === undefined ? null : blot(detail, known()),
      }
      nextId += 1
      entries.push(entry)
      if (entries.length > RING) entries.shift()
      // One line an entry: a text that a server sent must not be able to forge another.
      const line = [new Date(entry.atMs).toISOString(), at, from, entry.text, entry.detail ?? ''].join(' ')
      sink?.write(line.replace(/[\r\n\u2028\u2029]+/g, ' ⏎ ').trimEnd())
      for (const wake of wakes) wake()
    },
    stream(wake) {
      let sentId = 0
      let first = true
      wakes.add(wake)
      return {
        take() {
          const fresh = entries.filter((entry) => entry.id > sentId)
          if (fresh.length === 0 && !first) return undefined
          const oldest = fresh[0]?.id ?? sentId + 1
          const dropped = first ? 0 : oldest - sentId - 1
          first = false
          sentId = fresh.at(-1)?.id ?? sentId
          return { entries: fresh, dropped }
        },
        close: () => wakes.delete(wake),
      }
    },
  }
}
