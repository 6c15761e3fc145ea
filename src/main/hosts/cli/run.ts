/** Runs a command line: finds the command, parses options, prints help, and maps failures to exit codes. */
import { parseArgs } from 'node:util'
import { toFailure } from '../../../shared/base/errors.ts'
import { closest } from '../../../shared/base/closest.ts'
import { zstdProblem } from '../../base/zstd.ts'
import { EXIT, type StopReason } from '../../command-line/exit.ts'
import { COMMON_OPTIONS, COMMANDS, type ListedCommand } from './table.ts'
import {
  UsageError,
  type Command,
  type Context,
  type Option,
  type StartFeatures,
  type Values,
} from '../../command-line/command.ts'

/** Options that would expose a secret: every process on the machine can read arguments. */
const SECRET_OPTIONS = /^--?(password|pass|api-key|apikey|token)(=|$)/

function valuesOf(parsed: Readonly<Record<string, unknown>>): Values {
  return {
    text: (name) => (typeof parsed[name] === 'string' ? parsed[name] : undefined),
    texts: (name) => (Array.isArray(parsed[name]) ? parsed[name].filter((one) => typeof one === 'string') : []),
    on: (name) => parsed[name] === true,
  }
}

const findCommand = (name: string | undefined): ListedCommand | undefined => COMMANDS.find((one) => one.name === name)

const startFeatures: StartFeatures = async (features, options) =>
  (await import('../start-features.ts')).startFeatures(features, options)

/** Finishes what a killed Tapedeck left half done, and prints what was done. Throws as `settleUnfinished`. */
async function settle(values: Values, context: Context): Promise<void> {
  const { settleUnfinished } = await import('../finish-interrupted.ts')
  const notes = settleUnfinished(context.dataDir, values.text('store') ?? null)
  const problem = zstdProblem()
  if (problem !== null) notes.push(problem)
  for (const note of notes) context.err(`tapedeck: ${note}\n`)
}

/** Runs `args` (without node and script). Never rejects; returns the exit code. */
export async function runCommandLine(args: readonly string[], context: Context): Promise<number> {
  const json = args.includes('--json')
  try {
    const [name, ...rest] = args
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      const listed = findCommand(rest[0])
      context.out(listed === undefined ? overview() : await commandHelp(listed))
      return name === undefined ? EXIT.usage : EXIT.ok
    }
    if (name === '--version') {
      context.out(`${context.version}\n`)
      return EXIT.ok
    }
    const listed = findCommand(name)
    if (listed === undefined) throw unknownCommand(args)
    if (rest.includes('--help') || rest.includes('-h')) {
      context.out(await commandHelp(listed))
      return EXIT.ok
    }
    const command = await listed.load()
    const values = parse(command, rest)
    if (command.storeless !== true) await settle(values, context)
    return await command.run(values, context, startFeatures)
  } catch (thrown) {
    if (context.signal.aborted && stoppedByUser(context.signal, thrown)) return EXIT.interrupted
    if (thrown instanceof UsageError) {
      const command = findCommand(args[0])
      context.err(
        `tapedeck: ${thrown.message}${thrown.message.endsWith('?') ? '' : '.'} See tapedeck${command ? ` ${command.name}` : ''} --help.\n`,
      )
      return EXIT.usage
    }
    const failure = toFailure(thrown)
    const hint = failure.hint === undefined ? '' : ` ${failure.hint}`
    // The message of an internal error says nothing; there is no log here, so its detail is printed.
    const text = failure.code === 'internal' ? `${failure.message} (${failure.detail})` : `${failure.message}${hint}`
    context.err(`tapedeck: ${text.replace(/\s*\n\s*/g, ' ')}\n`)
    if (json && context.env.TAPEDECK_DEBUG && thrown instanceof Error) context.err(`${thrown.stack}\n`)
    return failure.code === 'usage' ? EXIT.usage : EXIT.failed
  }
}

/** Whether a command ended because the user stopped it. SIGTERM before the work is done is a failure with its message. */
function stoppedByUser({ reason }: AbortSignal, thrown: unknown): boolean {
  if (reason === ('terminate' satisfies StopReason)) return false
  return reason !== ('crash' satisfies StopReason) || toFailure(thrown).code === 'cancelled'
}

function unknownCommand(args: readonly string[]): UsageError {
  const [first = ''] = args
  const names = COMMANDS.map(({ name }) => name)
  if (first.startsWith('-')) {
    const command = names.find((name) => args.includes(name))
    const example = command === undefined ? 'tapedeck COMMAND --json' : `tapedeck ${command} ${first}`
    return new UsageError(`options come after the command: ${example}`)
  }
  const near = closest(first, names)
  return new UsageError(`unknown command "${first}"${near === undefined ? '' : `; did you mean ${near}?`}`)
}

function parse(command: Command, args: readonly string[]): Values {
  if (args.some((arg) => SECRET_OPTIONS.test(arg))) {
    throw new UsageError(
      'secrets can’t be passed as arguments: set TAPEDECK_PASSWORD or TAPEDECK_API_KEY, or sign in with the window once',
    )
  }
  const options = { ...COMMON_OPTIONS, ...command.options }
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: Object.fromEntries(
        Object.entries(options).map(([name, { type, multiple }]) => [name, { type, multiple: multiple ?? false }]),
      ),
      allowPositionals: command.positionals !== undefined,
      strict: true,
    })
    return valuesOf({ ...values, '': positionals })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      text
        .split(/\.\s/)[0]
        .replace(/\.$/, '')
        .replace(/^(.)/, (c) => c.toLowerCase()),
    )
  }
}

function optionLines(options: Readonly<Record<string, Option>>): string {
  const left = (name: string, { value }: Option) => `--${name}${value === undefined ? '' : ` ${value}`}`
  const width = Math.max(...Object.entries(options).map(([name, option]) => left(name, option).length))
  return Object.entries(options)
    .map(([name, option]) => `  ${left(name, option).padEnd(width)}  ${option.help}\n`)
    .join('')
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length))
  return (
    'Tapedeck: watch markets live, keep every message, play it back exactly.\n\n' +
    'Usage: tapedeck COMMAND [options]\n\nCommands:\n' +
    COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('') +
    `\nCommon options:\n${optionLines(COMMON_OPTIONS)}` +
    '\nPassword and API key come from the keychain, or from TAPEDECK_PASSWORD and TAPEDECK_API_KEY.\n' +
    'Exit codes: 0 success (also record and serve ended by SIGTERM), 1 failure, 2 wrong usage, 130 ended by Ctrl+C.\n'
  )
}

async function commandHelp({ name, summary, load }: ListedCommand): Promise<string> {
  const { options, positionals, examples = [] } = await load()
  const own = Object.keys(options).length === 0 ? '' : `Options:\n${optionLines(options)}\n`
  const after = positionals === undefined ? '' : ` ${positionals}`
  const shown = examples
    .map(([what, args]) => `  # ${what}\n  tapedeck ${name}${args === '' ? '' : ` ${args}`}\n`)
    .join('\n')
  return (
    `Usage: tapedeck ${name}${after} [options]\n\n${summary}\n\n${own}` +
    `Common options:\n${optionLines(COMMON_OPTIONS)}` +
    (shown === '' ? '' : `\nExamples:\n${shown}`)
  )
}
