/** What a command of the command line is: a row that help, parsing and running derive from. */
import type { Clock } from '../base/clock.ts'
import type { WorkerUrls } from '../base/workers.ts'
import type { MainFeature, Needs, Services } from '../terminal/feature.ts'
import type { HostOptions } from '../terminal/host.ts'
import type { RunningFeatures } from '../terminal/start.ts'

/** One option: parsed by node:util, shown by help. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  /** What stands for the value in help; absent for switches. */
  readonly value?: string
  readonly help: string
  /** Every value it takes, for the completion of shells. */
  readonly words?: readonly string[]
  /** Its value is a file. */
  readonly file?: true
}

/** Where a command runs: everything outside of the process that it may touch. */
export interface Context {
  /** Standard output: with `--json` nothing but JSON goes there. */
  out(text: string): void
  /** Standard error, for progress and sentences. */
  err(text: string): void
  /** Standard error is a terminal: progress may be drawn over. */
  readonly interactive: boolean
  /** Aborted by Ctrl+C: close down cleanly and return. */
  readonly signal: AbortSignal
  /** Calls back at each line of standard input, until undone; absent where nobody types. */
  lines?(listener: () => void): () => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly dataDir: string
  /** `dataDir` is carried along: no secret goes to this machine's keychain. */
  readonly portable?: boolean
  readonly version: string
  readonly workers: WorkerUrls
  readonly demoData: URL
  /** Folder of the built window. */
  readonly rendererDir: string
}

/** Parsed options of a run. */
export interface Values {
  text(name: string): string | undefined
  texts(name: string): readonly string[]
  on(name: string): boolean
}

/** Starts features and everything they need, on settled files. Rejects as `startTerminal` does. */
export type StartFeatures = (features: readonly MainFeature[], options: HostOptions) => Promise<RunningFeatures>

/** A command as the command line runs it. Its name and summary are in the list of commands, which loads it on demand. */
export interface Command {
  /** What an example does, and the arguments after the command's name. */
  readonly examples?: readonly (readonly [what: string, args: string])[] | undefined
  readonly options: Readonly<Record<string, Option>>
  /** It opens no store, so unfinished work on the store needn't be settled first. */
  readonly storeless?: true | undefined
  /** What may follow without an option's name, for help; absent: nothing. */
  readonly positionals?: string | undefined
  /** Returns the exit code. Rejects with `UsageError` or the failure. */
  run(values: Values, context: Context, startFeatures: StartFeatures): Promise<number>
}

/** Running features of a command, by the names of its `needs`. */
export interface RunningNeeds<N extends Needs> {
  readonly services: Services<N>
  readonly close: () => Promise<void>
}

/**
 * Defines a command. `start` starts the features of `needs`, with what they need themselves and no others; a command
 * that never calls it starts nothing.
 */
export function defineCommand<const N extends Needs = Record<never, never>>(
  command: Omit<Command, 'run'> & {
    readonly needs?: N
    run(values: Values, context: Context, start: (options: HostOptions) => Promise<RunningNeeds<N>>): Promise<number>
  },
): Command {
  return {
    ...command,
    run: (values, context, startFeatures) =>
      command.run(values, context, async (options) => {
        const needs = Object.entries(command.needs ?? {})
        const features = needs.map(([, feature]) => feature)
        const running = await startFeatures(features, options)
        const services = Object.fromEntries(needs.map(([key, feature]) => [key, running.service(feature)]))
        return { services: services as Services<N>, close: () => running.close() } // one service per key of `needs`
      }),
  }
}

/** Wrong usage: exit code 2. */
export class UsageError extends Error {}

/** Reads a whole number in a range, or says which option is wrong. */
export function wholeNumber(values: Values, name: string, least: number, most: number): number | undefined {
  const text = values.text(name)
  if (text === undefined) return undefined
  const n = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(n) || n < least || n > most) {
    throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not "${text}"`)
  }
  return n
}

/** Reads a length of time such as 30s, 5m, 1.5h or 250ms; milliseconds. */
export function duration(values: Values, name: string): number | undefined {
  const text = values.text(name)
  if (text === undefined) return undefined
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text)
  if (!match) throw new UsageError(`--${name} takes a time such as 30s, 5m or 1h, not "${text}"`)
  const unit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[match[2] as 'ms' | 's' | 'm' | 'h'] // as the pattern says
  return Number(match[1]) * unit
}

/** Reads an instant: ISO 8601 with a zone, or epoch milliseconds. */
export function instant(values: Values, name: string): number | undefined {
  const text = values.text(name)
  if (text === undefined) return undefined
  if (/^-?\d+$/.test(text)) return Number(text)
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text)
  const ms = Date.parse(text)
  if (!zoned || Number.isNaN(ms)) {
    throw new UsageError(
      `--${name} takes ISO 8601 with a zone (2026-01-05T09:30:00Z) or epoch milliseconds, not "${text}"`,
    )
  }
  return ms
}
