// `npm run pack:stories`: the stories of a user on the files of the folder package, in both hosts, and what only the
// desktop has. `-- --packed` takes the package that is there.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { findChromium } from './lib/chromium.mjs'
import { findElectron } from './lib/electron.mjs'
import { pinnedNode, root, stop } from './lib/ensure.mjs'
import { packed, playOn, unpack } from './lib/packed.mjs'

const STORIES = ['tests/e2e/story.spec.ts', 'tests/e2e/replay.spec.ts']

if (!process.argv.includes('--packed')) {
  execFileSync(pinnedNode(), [join(root, 'scripts', 'pack.mjs'), '--dir'], { cwd: root, stdio: 'inherit' })
}
const made = packed() ?? stop('There is no folder package: "npm run pack" makes one.')
const folder = unpack(made)
const rows = [
  ['the browser host', 'browser', STORIES, findChromium() ? undefined : 'there is no Chromium here'],
  [
    'Electron',
    'electron',
    [...STORIES, 'tests/e2e/electron/desktop.spec.ts'],
    findElectron() ? undefined : 'there is no Electron here',
  ],
].map(([host, project, specs, why]) => ({ host, why, good: why === undefined && playOn(folder, project, specs) }))
console.log('')
for (const { host, why, good } of rows)
  console.log(`  ${why ? '–' : good ? '✓' : '✗'} ${host}${why ? `: not played, ${why}` : ''}`)
const played = rows.filter(({ why }) => why === undefined)
process.exitCode = played.length > 0 && played.every(({ good }) => good) ? 0 : 1
