// `npm run bench:ui [-- --minutes 10 --rate 2000 --rows 500 --alerts 500 --order-flow]`: the window with nine charts, a
// watchlist and alerts beside a market of that many messages a second: frames, long tasks and memory beside an empty window's.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findChromium } from './lib/chromium.mjs'
import { ensureBuilt, ensureInstalled, pinnedNode, root } from './lib/ensure.mjs'

await ensureInstalled()
await ensureBuilt()
const run = spawnSync(pinnedNode(), [join(root, 'benchmarks', 'ui.ts'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TAPEDECK_CHROMIUM: findChromium() ?? '' },
})
process.exitCode = run.status ?? 1
