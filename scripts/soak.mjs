// `npm run soak [-- --minutes 120 --rate 2000 --every 60]`: records a market of that many messages a second for so long,
// with four charts on screen, replayed and exported every so often; prints memory, handles and latencies of start and end.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findChromium } from './lib/chromium.mjs'
import { ensureBuilt, ensureInstalled, pinnedNode, root } from './lib/ensure.mjs'

await ensureInstalled()
if (process.argv[2]?.startsWith('team')) {
  // All of a team's loss tests, or those named, as team-log. Forty minutes against real servers; nothing has to be built.
  const team = spawnSync(pinnedNode(), [join(root, 'tests', 'loss', 'run.ts'), ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  })
  process.exit(team.status ?? 1)
}
await ensureBuilt()
const run = spawnSync(pinnedNode(), [join(root, 'benchmarks', 'soak.ts'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  // Its terminal gets what tapedeck.mjs gives the program.
  env: { MALLOC_ARENA_MAX: '2', ...process.env, TAPEDECK_CHROMIUM: findChromium() ?? '' },
})
process.exitCode = run.status ?? 1
