// Type checks: the pure folders without DOM, Node and Electron types, the Node side, the window. What was found is kept
// in node_modules/.cache, so that a second run checks only what changed. TypeScript 7, which is native, checks what isn't
// Svelte in a third of the processor time; ESLint and Svelte need the interface of TypeScript 6 (docs/decisions/0140).
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pinnedNode, root } from './lib/ensure.mjs'

const tsc = (project) => [
  join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc'),
  ...['-p', `tsconfig.${project}.json`],
  // Several checkers infer the same types several times, and other checks run beside this one.
  '--singleThreaded',
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
