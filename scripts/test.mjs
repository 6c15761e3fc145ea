// `npm test`: installs what is missing, builds when stale, runs every check of the group `test`. With ids it runs these
// checks; with `--changed` only what the changes since main can break; `--changed=REVISION`: since that revision. With `--ahead` it
// also runs the background checks of `npm run verify -- --rest`, which then has only the others to run.
import { ensureBuilt, ensureInstalled, stop } from './lib/ensure.mjs'
import { changedFiles, narrowChecks, planChanged } from './lib/changed.mjs'
import { CHECKS, testChecks } from './lib/checks.mjs'
import { installChromium } from './lib/chromium.mjs'
import { runChecks } from './lib/run-checks.mjs'

await ensureInstalled()
const args = process.argv.slice(2)
const changed = args.find((arg) => /^--changed(=|$)/.test(arg))
const isAhead = args.includes('--ahead')
const only = args.filter((arg) => arg !== changed && arg !== '--ahead')
let checks = only.length > 0 ? CHECKS.filter(({ id }) => only.includes(id)) : testChecks(isAhead)
if (only.length > 0 && checks.length !== only.length) {
  console.error(`Unknown check. There are: ${CHECKS.map((check) => check.id).join(', ')}`)
  process.exit(2)
}
if (changed !== undefined) {
  const revision = changed.slice('--changed='.length)
  const files = changedFiles(revision || undefined)
  if (files === undefined)
    stop(`Git couldn't compare with ${revision || 'main'}. Name another revision: --changed=HEAD`)
  if (files.length === 0) {
    console.log('No file has changed.')
    process.exit(0)
  }
  console.log(`${files.length} changed ${files.length === 1 ? 'file' : 'files'}: running only what they can break.`)
  checks = narrowChecks(checks, planChanged(files))
}
if (changed === undefined || checks.some(({ id }) => id === 'e2e' || id === 'speed')) {
  await ensureBuilt()
  installChromium()
}
process.exitCode = (await runChecks(changed === undefined ? 'test' : 'changed', checks)) ? 0 : 1
