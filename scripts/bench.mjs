// `npm run bench`: every figure beside its ceiling or peer, measured in the same run; writes benchmarks/results/latest.json.
// `--check` runs smaller sizes and fails where a figure is below its floor (far under its goal: machines are noisy).
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled, pinnedNode, root } from './lib/ensure.mjs'
import { findChromium } from './lib/chromium.mjs'

await ensureInstalled()
await ensureBuilt()
const run = spawnSync(pinnedNode(), ['--expose-gc', join(root, 'benchmarks', 'run.ts'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TAPEDECK_CHROMIUM: findChromium() ?? '' },
})
process.exitCode = run.status ?? 1
