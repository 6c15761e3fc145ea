// `npm run pack:stories`: the stories of a user on the packed program, in both hosts, and whether it starts and ends as
// documented. `-- --packed` takes the package that is there.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { findChromium } from './lib/chromium.mjs'
import { pinnedNode, root, stop } from './lib/ensure.mjs'
import { packed, packedProgram, playOnPacked } from './lib/packed.mjs'

const STORIES = ['tests/e2e/story.spec.ts', 'tests/e2e/replay.spec.ts']

if (!process.argv.includes('--packed')) {
  execFileSync(pinnedNode(), [join(root, 'scripts', 'pack.mjs'), '--dir'], { cwd: root, stdio: 'inherit' })
}
if (!packed()) stop('There is no folder package: "npm run pack" makes one.')
if (!packedProgram()) stop('There is no Electron here to run the package: "npx install-electron" fetches it.')
if (!findChromium()) stop('There is no Chromium here for the stories in the browser host.')
const rows = [
  ['start and end', 'packed', []],
  ['the stories in the browser host', 'browser', STORIES],
  ['the stories in Electron', 'electron', STORIES],
].map(([what, project, specs]) => ({ what, passed: playOnPacked(project, specs) }))
console.log('')
for (const { what, passed } of rows) console.log(`  ${passed ? '✓' : '✗'} ${what}`)
process.exitCode = rows.every(({ passed }) => passed) ? 0 : 1
