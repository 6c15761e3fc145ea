/** What a command of the command line is: a row that help, parsing and running derive from. */
import type { LogEntry } from '../../shared/core/status/status.ts'
import type { Clock } from '../base/clock.ts'
import type { LogFacts } from '../base/log-facts.ts'
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
  /** The values that shells complete. */
  readonly words?: readonly string[]
  /** Its value is a file. */
  readonly file?: true
}

/** Standard error as a log. Commands that are defined with `logs` have one. */
export interface ServiceLog {
  /** `screen`: a person reads along; entries of the terminal's log aren't shown, and progress may be. */
  readonly format: 'screen' | 'text' | 'json'
  /** Adds a sentence now. `facts` are fields of the JSON line. */
  add(level: LogEntry['level'], text: string, facts?: LogFacts): void
  /** Adds an entry of the terminal's log. */
  entry(entry: LogEntry, facts?: LogFacts): void
}

/** Where a command runs: everything outside of the process that it may touch. */
export interface Context {
  /** Standard output: with `--json` nothing but JSON goes there. */
  out(text: string): void
  /**
   * Standard output as a stream: resolves once more may be written. Rejects with `cancelled` if nobody reads it. Absent
   * where output isn't a stream.
   */
  stream?(chunk: string | Uint8Array): Promise<void>
  /** Standard error, for progress and sentences. */
  err(text: string): void
  /** The log on standard error, of commands that are defined with `logs`. `err` writes to it, too. */
  readonly log?: ServiceLog
  /** Standard error is a terminal: progress may be drawn over. */
  readonly interactive: boolean
  /** Aborted by Ctrl+C: close down cleanly and return. */
  readonly signal: AbortSignal
  /** Calls back at each line of standard input, until undone; absent where nobody types. */
  lines?(listener: () => void): () => void
  /** Asks a person for a line, unseen if `hidden`; absent where nobody types. Rejects with `cancelled`. */
  readonly ask?: (question: string, hidden: boolean) => Promise<string>
  /** Standard input, unless it is a terminal. */
  readonly input?: AsyncIterable<Uint8Array> | undefined
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
  /** It runs until it is stopped, so its standard error is a log. */
  readonly logs?: true | undefined
  /** What may follow without an option's name, for help; absent: nothing. */
  readonly positionals?: string | undefined
  /** What follows is a name and a value, and an empty value means something. Other empty arguments are refused. */
  readonly emptyValue?: true | undefined
  /** Returns the exit code. Rejects with `UsageError` or the failure. */
  run(values: Values, context: Context, startFeatures: StartFeatures): Promise<number>
}

/** A command in the list. Its module is loaded when the command runs or its help is printed. */
export interface ListedCommand {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<Command>
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
