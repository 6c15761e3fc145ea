// `npm test`: installs what is missing, builds when stale, runs every check of the group `test`.
import { ensureBuilt, ensureInstalled } from './lib/ensure.mjs'
import { CHECKS, runChecks } from './lib/checks.mjs'
import { installChromium } from './lib/chromium.mjs'

await ensureInstalled()
await ensureBuilt()
installChromium()
const only = process.argv.slice(2)
const checks = CHECKS.filter((check) => (only.length > 0 ? only.includes(check.id) : check.group === 'test'))
if (only.length > 0 && checks.length !== only.length) {
  console.error(`Unknown check. There are: ${CHECKS.map((check) => check.id).join(', ')}`)
  process.exit(2)
}
process.exitCode = (await runChecks('test', checks)) ? 0 : 1
