/**
 * The log: a ring of entries for windows and a file. Anything that looks like a secret is redacted here, in one place,
 * for every line.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import type { LogValue } from '../../../shared/core/status/contract.ts'
import type { LogEntry } from '../../../shared/core/status/status.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import { unixMs } from '../../../shared/base/units.ts'
import type { LogFacts } from '../../base/log-facts.ts'
import { redact } from '../../base/redaction.ts'

type Level = LogEntry['level']
const LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** Entries that a window gets when it opens. A slow window may miss older ones. */
const RING = 500
const MAX_TEXT = 2_000
/** A log file is renamed to `.1` at this size, bytes, so at most twice as much is stored. */
const LOG_FILE_BYTES = 2_000_000

/** Where lines are stored. It must fail silently, because there is no other place to report to. */
export interface LogSink {
  /** `line`: the entry as text. */
  write(line: string, entry: LogEntry, facts?: LogFacts): void
}

export interface Log {
  /** `facts` hold no secrets: they reach the sink as they are. */
  add(level: Level, from: string, text: string, detail?: string, facts?: LogFacts): void
  /** Warns of something that every window has to show, such as settings that couldn't be read. */
  notice(from: string, text: string, detail?: string): void
  /** The texts of the notices, oldest first. */
  readonly notices: readonly string[]
  stream(wake: () => void): StreamSource<LogValue>
  /** The ring, oldest first. */
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

/** Redacts anything that looks like a token, password or key, and each of the `known` encodings of a secret. */
export function blot(text: string, known: readonly string[] = []): string {
  // Redact before truncating, because half a secret isn't recognized.
  const redacted = redact(text, known)
  return SECRETS.reduce((safe, [pattern, by]) => safe.replace(pattern, by), redacted.slice(0, MAX_TEXT))
}

/** Appends to a file that is rotated at `maxBytes`. */
export function fileSink(file: string, maxBytes = LOG_FILE_BYTES): LogSink {
  let size = -1
  return {
    write(line) {
      try {
        if (size < 0) {
          makeFolder(dirname(file))
          size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
        }
        if (size > maxBytes) {
          renameSync(file, `${file}.1`)
          size = 0
        }
        appendFileSync(file, `${line}\n`)
        size += Buffer.byteLength(line) + 1
      } catch {
        size = -1 // a full or read-only disk must not stop the terminal; the next line tries again
      }
    },
  }
}

/** An empty log. `level`: the lowest that is logged; `known`: encodings of secrets to redact. */
export function createLog(
  wallMs: () => number,
  level: Level,
  sink: LogSink | null,
  known: () => readonly string[] = () => [],
): Log {
  const least = LEVELS.indexOf(level)
  const entries: LogEntry[] = []
  const wakes = new Set<() => void>()
  const notices: string[] = []
  let nextId = 1
  const log: Log = {
    entries,
    notices,
    notice(from, text, detail) {
      notices.push(blot(text, known()))
      log.add('warn', from, text, detail)
    },
    add(at, from, text, detail, facts) {
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
      // One line per entry: text that a server sent must not be able to forge another line.
      const line = [new Date(entry.atMs).toISOString(), at, from, entry.text, entry.detail ?? ''].join(' ')
      sink?.write(line.replace(/[\r\n\u2028\u2029]+/g, ' ⏎ ').trimEnd(), entry, facts)
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
  return log
}
