/** Runs a command line in this process: connects signals, streams and line input to its context. */
import { createInterface } from 'node:readline'
import { CodedError } from '../../../shared/base/errors.ts'
import { systemClock } from '../../base/clock.ts'
import { keepCrash } from '../../features/diagnostics/crashes.ts'
import { protectHome } from '../../base/private-files.ts'
import { userHome } from '../../base/user-home.ts'
import { homeOf } from '../../core/settings/portable.ts'
import { blot } from '../../core/log/log.ts'
import { ask } from '../../command-line/ask.ts'
import type { Context } from '../../command-line/command.ts'
import { EXIT, type StopReason } from '../../command-line/exit.ts'
import { processOutput } from '../../command-line/output.ts'
import { runCommandLine } from './run.ts'

/** Paths that only an entry point knows. */
export type Places = Pick<Context, 'version' | 'workers' | 'demoData' | 'rendererDir'> & {
  /** The program's own file, or the folder that it was unpacked to: `--portable` keeps its files beside it. */
  readonly program: string
}

/** How long a command may take to close its session after an error nobody caught, ms. */
const CLOSE_WITHIN_MS = 10_000

/**
 * Runs `args` (without node and script) and returns the exit code. SIGTERM and Ctrl+C end it cleanly; `exit` is
 * called at the third of them. After an error nobody caught the session is closed, a report is written, and the
 * code is 1.
 */
export async function runProcess(
  args: readonly string[],
  places: Places,
  exit: (code: number) => void,
): Promise<number> {
  const stopping = new AbortController()
  const stop = (reason: StopReason): void => stopping.abort(reason)
  let signals = 0
  const onSignal = (reason: StopReason) => () => {
    signals += 1
    stop(reason)
    // After a third signal, exit without closing cleanly.
    if (signals > 2) exit(EXIT.interrupted)
  }
  const interrupt = onSignal('interrupt')
  process.on('SIGINT', interrupt)
  process.on('SIGHUP', interrupt)
  process.on('SIGTERM', onSignal('terminate'))
  const output = processOutput(() => stop('output'), stopping.signal)

  const { program, ...within } = places
  const home = homeOf(args, { path: program, platform: process.platform, home: userHome(), env: process.env })
  protectHome(home)
  const err = (text: string): void => void process.stderr.write(text)
  // A session doesn't end because its log is on a full disk, or because the program that read it has ended.
  process.stderr.on('error', () => undefined)
  let crashed = false
  const onCrash = (thrown: unknown): void => {
    if (!crashed) setTimeout(() => exit(EXIT.failed), CLOSE_WITHIN_MS).unref()
    crashed = true
    err(crashSentence(thrown, home.folder, places.version, process.env))
    stop('crash')
  }
  process.on('uncaughtException', onCrash)
  process.on('unhandledRejection', onCrash)

  const code = await runCommandLine(args, {
    ...within,
    out: (text) => output.write(text),
    async stream(chunk) {
      output.write(chunk)
      await output.drained()
      if (stopping.signal.reason === ('output' satisfies StopReason)) {
        throw new CodedError('cancelled', 'The program that read the output has ended.')
      }
    },
    err,
    interactive: process.stderr.isTTY === true,
    signal: stopping.signal,
    ...(process.stdin.isTTY === true
      ? {
          lines(listener: () => void) {
            const reader = createInterface({ input: process.stdin })
            reader.on('line', listener)
            reader.on('SIGINT', interrupt)
            return () => reader.close()
          },
          ask: (question: string, hidden: boolean) => ask(process.stdin, err, question, { hidden, interrupt }),
        }
      : { input: process.stdin }),
    env: process.env,
    clock: systemClock,
    dataDir: home.folder,
    portable: home.portable,
  })
  await output.flush()
  if (output.failure !== null) {
    err(`tapedeck: couldn’t write to standard output: ${output.failure.message}.\n`)
    return code === EXIT.interrupted ? code : EXIT.failed
  }
  return crashed ? EXIT.failed : code
}

/** Saves a report of an uncaught error and returns the message for standard error, without the environment's secrets. */
function crashSentence(thrown: unknown, dataDir: string, version: string, env: Context['env']): string {
  const secrets = [env.TAPEDECK_PASSWORD, env.TAPEDECK_API_KEY].filter((one) => one !== undefined && one !== '')
  const hide = (text: string): string =>
    secrets
      .reduce<string>((safe, secret) => safe.replaceAll(secret ?? '', '***'), text)
      .split('\n')
      .map((line) => blot(line))
      .join('\n')
  const text = hide(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
  const message = hide(thrown instanceof Error ? thrown.message : String(thrown)).replace(/\s*\n\s*/g, ' ')
  const file = keepCrash(dataDir, { atMs: systemClock.wallMs(), version, what: 'main', text })
  const where = file === null ? '' : ` The report is ${file}.`
  return `tapedeck: an unexpected error ended this command: ${message}.${where}\n`
}
