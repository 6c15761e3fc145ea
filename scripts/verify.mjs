// `npm run verify`: everything `npm test` runs and the slower checks; `--rest` runs only the latter
// (after an `npm test`) and counts both.
import { ensureBuilt, ensureInstalled } from './lib/ensure.mjs'
import { CHECKS, runChecks, summarise } from './lib/checks.mjs'
import { installChromium } from './lib/chromium.mjs'

await ensureInstalled()
await ensureBuilt()
installChromium()
const rest = process.argv.includes('--rest')
if (!rest)
  await runChecks(
    'test',
    CHECKS.filter((check) => check.group === 'test'),
  )
await runChecks(
  'verify',
  CHECKS.filter((check) => check.group === 'verify'),
)
process.exitCode = summarise(['test', 'verify']) ? 0 : 1
