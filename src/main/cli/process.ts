/** Runs a command line in the process at hand: signals, streams and the terminal's line input, joined to a context. */
import { homedir } from 'node:os'
import { createInterface } from 'node:readline'
import { systemClock } from '../clock.ts'
import { homeOf } from '../settings/portable.ts'
import type { Context } from './command.ts'
import { EXIT } from './exit.ts'
import { runCommandLine } from './run.ts'
import { COMMANDS } from './table.ts'

/** What only a root knows: where the built parts lie beside it. */
export type Places = Pick<Context, 'version' | 'workers' | 'demoData' | 'rendererDir'> & {
  /** The program's own file, or the folder that it was unpacked to: `--portable` keeps its files beside it. */
  readonly program: string
}

/** Whether a word asks for the command line rather than for the window. */
export function isCommandWord(word: string | undefined): boolean {
  return word === '--version' || word === '--help' || word === 'help' || COMMANDS.some(({ name }) => name === word)
}

/** Runs `args` (without node and script) and answers the exit code. `exit` is called at the third signal. */
export async function runProcess(
  args: readonly string[],
  places: Places,
  exit: (code: number) => void,
): Promise<number> {
  const interrupt = new AbortController()
  let signals = 0
  const stop = () => {
    signals += 1
    interrupt.abort()
    // Whoever asks a third time does not want to wait for a clean end.
    if (signals > 2) exit(EXIT.interrupted)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // A reader that went away (`| head`) wants no more; that is no crash.
  process.stdout.on('error', stop)

  const { program, ...within } = places
  const home = homeOf(args, { path: program, platform: process.platform, home: homedir(), env: process.env })
  const code = await runCommandLine(args, {
    ...within,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    interactive: process.stderr.isTTY === true,
    signal: interrupt.signal,
    ...(process.stdin.isTTY === true
      ? {
          lines(listener: () => void) {
            const reader = createInterface({ input: process.stdin })
            reader.on('line', listener)
            reader.on('SIGINT', stop)
            return () => reader.close()
          },
        }
      : {}),
    env: process.env,
    clock: systemClock,
    dataDir: home.folder,
    portable: home.portable,
  })
  // Output to a pipe is written in its own time.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
  return code
}
