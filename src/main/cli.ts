/** Root: the command line. Gives a command its surroundings and turns its answer into an exit code. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runCommandLine } from './cli/run.ts'
import type { Context } from './cli/command.ts'
import { EXIT } from './cli/exit.ts'
import { systemClock } from './clock.ts'
import { appHome } from './settings/paths.ts'

/** Built, workers lie beside this file as .js; from source, Node runs the .ts. */
const built = import.meta.url.endsWith('.js')
const beside = (builtName: string, source: string) => new URL(built ? `./${builtName}.js` : source, import.meta.url)

const interrupt = new AbortController()
let signals = 0
const stop = () => {
  signals += 1
  interrupt.abort()
  // Whoever asks a third time does not want to wait for a clean end.
  if (signals > 2) process.exit(EXIT.interrupted)
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
process.on('SIGHUP', stop)
// A reader that went away (`| head`) wants no more; that is no crash.
process.stdout.on('error', stop)

const context: Context = {
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
  dataDir: appHome({ platform: process.platform, home: homedir(), env: process.env }),
  version: packageVersion(),
  workers: {
    store: beside('store-worker', './store-worker.ts'),
    reader: beside('reader-worker', './reader-worker.ts'),
    simulator: beside('simulator-worker', '../simulator/worker.ts'),
  },
  demoData: new URL('../../resources/demo/', import.meta.url),
  rendererDir: fileURLToPath(new URL(built ? '../renderer' : '../../out/renderer', import.meta.url)),
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  } // our own file
  return version
}

process.exitCode = await runCommandLine(process.argv.slice(2), context)
// Everything was closed; what still holds the process (a keychain's thread) must not.
process.stdout.write('', () => process.exit())
