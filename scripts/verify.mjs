// `npm run verify`: everything `npm test` runs and the slower checks; `--rest` runs only the latter
// (after an `npm test`) and counts both.
import { CHECKS } from './lib/checks.mjs'
import { installChromium } from './lib/chromium.mjs'
import { ensureBuilt, ensureInstalled } from './lib/ensure.mjs'
import { runChecks, summarise } from './lib/run-checks.mjs'

await ensureInstalled()
await ensureBuilt()
installChromium()
if (process.argv.includes('--rest')) {
  await runChecks(
    'verify',
    CHECKS.filter(({ group }) => group === 'verify'),
  )
  process.exitCode = summarise(['test', 'verify'], CHECKS) ? 0 : 1
} else process.exitCode = (await runChecks('verify', CHECKS)) ? 0 : 1
