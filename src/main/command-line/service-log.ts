/**
 * Standard error as the log of a command that runs until it is stopped: NDJSON in pino's format, plain lines, or the
 * sentences of a terminal.
 */
import { hostname } from 'node:os'
import type { LogEntry } from '../../shared/core/status/status.ts'
import type { LogFacts } from '../base/log-facts.ts'
import { UsageError, type Context, type ServiceLog, type Values } from './command.ts'
import { logLevel } from './log-level.ts'

export const LOG_FORMATS = ['auto', 'json', 'text'] as const
/** pino's numbers, which tools that read its lines know. */
const PINO_LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const
const LEVELS = Object.keys(PINO_LEVELS)

/** `--log-format`. `screen`: sentences for a person at a terminal, who sees progress instead of entries. */
function readFormat(values: Values, isTerminal: boolean): ServiceLog['format'] {
  const onTerminal = values.on('quiet') ? 'text' : 'screen'
  const text = values.text('log-format') ?? 'auto'
  const format = LOG_FORMATS.find((one) => one === text)
  switch (format) {
    case 'json':
      return 'json'
    case 'text':
      return isTerminal ? onTerminal : 'text'
    case 'auto':
      return isTerminal ? onTerminal : 'json'
    case undefined:
      throw new UsageError(`--log-format must be one of ${LOG_FORMATS.join(', ')}, not "${text}"`)
  }
}

/** This process as pino's lines name it. */
const thisProcess = () => ({ pid: process.pid, hostname: hostname() })

/** Writes to the context's standard error. Throws UsageError for an unknown format or level. */
export function createServiceLog(
  values: Values,
  { err, interactive, clock }: Pick<Context, 'err' | 'interactive' | 'clock'>,
  about: { readonly pid: number; readonly hostname: string } = thisProcess(),
): ServiceLog {
  const format = readFormat(values, interactive)
  const least = Math.max(LEVELS.indexOf(logLevel(values)), values.on('quiet') ? LEVELS.indexOf('warn') : 0)
  const write = (level: LogEntry['level'], atMs: number, text: string, facts?: LogFacts): void => {
    if (format === 'screen') return err(`${text}\n`)
    if (LEVELS.indexOf(level) < least) return
    if (format === 'json')
      return err(`${JSON.stringify({ level: PINO_LEVELS[level], time: atMs, ...about, ...facts, msg: text })}\n`)
    // One line per entry: text that a server sent must not be able to forge another line.
    err(`${new Date(atMs).toISOString()} ${level} ${text.replace(/[\r\n\u2028\u2029]+/g, ' ⏎ ')}\n`)
  }
  return {
    format,
    add: (level, text, facts) => write(level, clock.wallMs(), text, facts),
    entry({ level, atMs, from, text, detail }, facts) {
      if (format === 'screen') return
      if (format === 'json') write(level, atMs, text, { from, ...facts, ...(detail === null ? {} : { detail }) })
      else write(level, atMs, detail === null ? text : `${text} ${detail}`)
    },
  }
}

/** `context` with a log. What the command writes to standard error becomes entries of it, one for each line. */
export function withServiceLog(values: Values, context: Context): Context {
  const log = createServiceLog(values, context)
  if (log.format === 'screen') return { ...context, log }
  const err = (text: string): void => {
    for (const line of text.split('\n')) {
      const sentence = line.replace(/^tapedeck: /, '').trim()
      if (sentence !== '') log.add('info', sentence)
    }
  }
  return { ...context, log, err }
}
