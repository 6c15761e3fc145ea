/** The option that every command shares for how much is logged. */
import type { LogEntry } from '../../shared/core/status/status.ts'
import { UsageError, type Values } from './command.ts'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** `--log-level`, `info` where absent. Throws on any other word. */
export function logLevel(values: Values): LogEntry['level'] {
  const text = values.text('log-level') ?? 'info'
  const level = LEVELS.find((one) => one === text)
  if (level === undefined) throw new UsageError(`--log-level must be one of ${LEVELS.join(', ')}, not "${text}"`)
  return level
}
