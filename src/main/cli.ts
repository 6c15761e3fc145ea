/** Root: the command line under Node. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runProcess } from './hosts/cli/process.ts'

/** Built, workers lie beside this file as .js; from source, Node runs the .ts. */
const built = import.meta.url.endsWith('.js')
const workerUrl = (builtName: string, source: string) => new URL(built ? `./${builtName}.js` : source, import.meta.url)

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  } // our own file
  return version
}

const exit = (code: number) => process.exit(code)

process.exitCode = await runProcess(
  process.argv.slice(2),
  {
    version: packageVersion(),
    program: fileURLToPath(new URL('../..', import.meta.url)),
    workers: {
      store: workerUrl('store-worker', './store-worker.ts'),
      reader: workerUrl('reader-worker', './reader-worker.ts'),
      imports: workerUrl('import-worker', './import-worker.ts'),
      simulator: workerUrl('simulator-worker', '../simulator/worker.ts'),
    },
    demoData: new URL('../../resources/demo/', import.meta.url),
    rendererDir: fileURLToPath(new URL(built ? '../renderer' : '../../out/renderer', import.meta.url)),
  },
  exit,
)
// Everything was closed; what still holds the process (a keychain's thread) must not.
process.exit()
