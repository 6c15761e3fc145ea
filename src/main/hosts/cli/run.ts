/** Runs a command line: finds the command, parses options, prints help, and maps failures to exit codes. */
import { toFailure } from '../../../shared/base/errors.ts'
import { closest } from '../../../shared/base/closest.ts'
import { zstdProblem } from '../../base/zstd.ts'
import { parseOptions, shortOf, splitCommand } from '../../command-line/arguments.ts'
import { EXIT, type StopReason } from '../../command-line/exit.ts'
import { withServiceLog } from '../../command-line/service-log.ts'
import { COMMON_OPTIONS, COMMANDS } from './table.ts'
import {
  UsageError,
  type Command,
  type Context,
  type Option,
  type StartFeatures,
  type Values,
  type ListedCommand,
} from '../../command-line/command.ts'

/** Options that would expose a secret: every process on the machine can read arguments. */
const SECRET_OPTIONS = /^--?(password|pass|api-key|apikey|token)(=|$)/

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

/** Notices go nowhere with `--quiet`; warnings start as errors do. */
const quiet = (context: Context): Context => ({
  ...context,
  interactive: false,
  err: (text) => void (text.startsWith('tapedeck: ') && context.err(text)),
})

/** Runs `args` (without node and script). Never rejects; returns the exit code. */
export async function runCommandLine(args: readonly string[], context: Context): Promise<number> {
  const json = args.includes('--json')
  const { command: name, rest } = splitCommand(args, COMMON_OPTIONS, (word) => findCommand(word) !== undefined)
  let logged = context
  try {
    const asks = (option: string): boolean => rest.includes(`--${option}`) || rest.includes(shortOf(option) ?? '')
    if (name === undefined || name === 'help') {
      if (name === undefined && asks('version')) {
        context.out(`${context.version}\n`)
        return EXIT.ok
      }
      if (name === undefined && !asks('help') && args.length > 0) parseOptions(args, COMMON_OPTIONS, {})
      const about = name === undefined ? undefined : rest.find((word) => !word.startsWith('-'))
      const listed = findCommand(about)
      if (about !== undefined && listed === undefined) throw unknownCommand(about)
      context.out(listed === undefined ? overview() : await commandHelp(listed))
      return name === undefined && !asks('help') ? EXIT.usage : EXIT.ok
    }
    const listed = findCommand(name)
    if (listed === undefined) throw unknownCommand(name)
    if (asks('help')) {
      context.out(await commandHelp(listed))
      return EXIT.ok
    }
    if (asks('version')) {
      context.out(`${context.version}\n`)
      return EXIT.ok
    }
    const command = await listed.load()
    const values = parse(command, rest)
    // Also where no time is given that it would apply to.
    if (command.options.from !== undefined && values.text('zone') !== undefined)
      (await import('../../command-line/times.ts')).zoneOption(values)
    logged = values.on('quiet') && command.logs !== true ? quiet(context) : context
    if (command.logs === true) logged = withServiceLog(values, context)
    if (command.storeless !== true) await settle(values, logged)
    return await command.run(values, logged, startFeatures)
  } catch (thrown) {
    // With `| head`, the reader has what it wanted. The process reports any other failure of the output.
    if (context.signal.reason === ('output' satisfies StopReason)) return EXIT.ok
    if (context.signal.aborted && stoppedByUser(context.signal, thrown)) return EXIT.interrupted
    if (thrown instanceof UsageError) {
      const command = findCommand(name)
      context.err(
        `tapedeck: ${thrown.message}${thrown.message.endsWith('?') ? '' : '.'} See tapedeck${command ? ` ${command.name}` : ''} --help.\n`,
      )
      return EXIT.usage
    }
    const failure = toFailure(thrown)
    const hint = failure.hint === undefined ? '' : ` ${failure.hint}`
    // The message of an internal error says nothing; there is no log here, so its detail is printed.
    const text = failure.code === 'internal' ? `${failure.message} (${failure.detail})` : `${failure.message}${hint}`
    const sentence = text.replace(/\s*\n\s*/g, ' ')
    if (logged.log === undefined || (context.interactive && logged.log.format !== 'json'))
      context.err(`tapedeck: ${sentence}\n`)
    else logged.log.add('error', sentence, { event: 'failed', code: failure.code })
    if (json && context.env.TAPEDECK_DEBUG && thrown instanceof Error) context.err(`${thrown.stack}\n`)
    return failure.code === 'usage' ? EXIT.usage : EXIT.failed
  }
}

/** Whether a command ended because the user stopped it. SIGTERM before the work is done is a failure with its message. */
function stoppedByUser({ reason }: AbortSignal, thrown: unknown): boolean {
  if (reason === ('terminate' satisfies StopReason)) return false
  return reason !== ('crash' satisfies StopReason) || toFailure(thrown).code === 'cancelled'
}

function unknownCommand(name: string): UsageError {
  const near = closest(
    name,
    COMMANDS.map((one) => one.name),
  )
  return new UsageError(`unknown command "${name}"${near === undefined ? '' : `; did you mean ${near}?`}`)
}

function parse(command: Command, args: readonly string[]): Values {
  if (args.some((arg) => SECRET_OPTIONS.test(arg))) {
    throw new UsageError(
      'secrets can’t be passed as arguments: set TAPEDECK_PASSWORD or TAPEDECK_API_KEY, or save them with tapedeck login',
    )
  }
  return parseOptions(args, { ...COMMON_OPTIONS, ...command.options }, command)
}

function optionLines(options: Readonly<Record<string, Option>>): string {
  const left = (name: string, { value }: Option) => {
    const short = shortOf(name)
    return `${short === undefined ? '' : `${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`
  }
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
    '\nPassword and API key come from tapedeck login, or from TAPEDECK_PASSWORD and TAPEDECK_API_KEY.\n' +
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
