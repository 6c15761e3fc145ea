// Type checks: the pure folders without DOM, Node and Electron types, the Node side, the window. What was found is kept
// in node_modules/.cache, so that a second run checks only what changed.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pinnedNode, root } from './lib/ensure.mjs'

const tsc = (project) => [
  join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
  ...['-p', `tsconfig.${project}.json`],
  ...['--incremental', '--tsBuildInfoFile', join(root, 'node_modules', '.cache', 'types', `${project}.tsbuildinfo`)],
]
const svelteCheck = join(root, 'node_modules', 'svelte-check', 'bin', 'svelte-check')
const steps = [
  tsc('pure'),
  tsc('node'),
  tsc('e2e'),
  [svelteCheck, '--tsconfig', './tsconfig.web.json', '--output', 'human', '--fail-on-warnings'],
]
let failed = false
for (const step of steps) failed = spawnSync(pinnedNode(), step, { cwd: root, stdio: 'inherit' }).status !== 0 || failed
process.exitCode = failed ? 1 : 0
