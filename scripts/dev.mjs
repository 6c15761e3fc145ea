// `npm run dev`: Tapedeck with hot reload of the window, in Electron where that is possible, else in the browser,
// saying why. `npm run dev:browser` asks for the latter. Further options go to the terminal: `npm run dev -- --demo`.
import { join } from 'node:path'
import { pickElectron } from './lib/electron.mjs'
import { ensureInstalled, follow, forgetBuild, pinnedNode, root } from './lib/ensure.mjs'

const args = process.argv.slice(2)

await ensureInstalled()
const { path, why } = await pickElectron(args)
const rest = args.filter((arg) => arg !== '--browser')
if (why !== undefined) console.log(`Starting Tapedeck in the browser, because ${why}.`)
if (path !== undefined) forgetBuild() // electron-vite writes the terminal into out/, unminified
const electronVite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
const ended = await follow(
  pinnedNode(),
  path === undefined ? [join(root, 'scripts', 'dev-browser.mjs'), ...rest] : [electronVite, 'dev', '--', ...rest],
  path === undefined ? {} : { ELECTRON_EXEC_PATH: path },
)
if (ended.why !== undefined) console.error(`Tapedeck did not start: ${ended.why}`)
process.exitCode = ended.stopped ? 0 : (ended.code ?? 1)
