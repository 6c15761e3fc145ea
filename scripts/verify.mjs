// `npm run verify`: everything `npm test` runs and the slower checks; `--rest` runs only the latter
// (after an `npm test`) and counts both.
import { ensureBuilt, ensureInstalled } from './lib/ensure.mjs'
import { CHECKS, runChecks, summarise } from './lib/checks.mjs'
import { installChromium } from './lib/chromium.mjs'

await ensureInstalled()
await ensureBuilt()
installChromium()
const group = (name) => CHECKS.filter((check) => check.group === name)
if (!process.argv.includes('--rest')) await runChecks('test', group('test'))
await runChecks('verify', group('verify'))
process.exitCode = summarise(['test', 'verify'], CHECKS) ? 0 : 1
