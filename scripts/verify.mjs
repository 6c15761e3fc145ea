// `npm run verify`: everything `npm test` runs and the slower checks; `--rest` runs only what
// an `npm test` before it has left, and counts both.
import { CHECKS, restChecks } from './lib/checks.mjs'
import { installChromium } from './lib/chromium.mjs'
import { ensureBuilt, ensureInstalled } from './lib/ensure.mjs'
import { ranIn, runChecks, summarise } from './lib/run-checks.mjs'

await ensureInstalled()
await ensureBuilt()
installChromium()
if (process.argv.includes('--rest')) {
  await runChecks('verify', restChecks(ranIn('test')))
  process.exitCode = summarise(['test', 'verify'], CHECKS) ? 0 : 1
} else process.exitCode = (await runChecks('verify', CHECKS)) ? 0 : 1
