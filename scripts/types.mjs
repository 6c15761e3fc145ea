// Type checks: the pure folders without DOM, Node and Electron types, the Node side, the window.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pinnedNode, root } from './lib/ensure.mjs'

const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const svelteCheck = join(root, 'node_modules', 'svelte-check', 'bin', 'svelte-check')
const steps = [
  [tsc, '-p', 'tsconfig.pure.json'],
  [tsc, '-p', 'tsconfig.node.json'],
  [tsc, '-p', 'tsconfig.e2e.json'],
  [svelteCheck, '--tsconfig', './tsconfig.web.json', '--output', 'human', '--fail-on-warnings'],
]
let failed = false
for (const step of steps) failed = spawnSync(pinnedNode(), step, { cwd: root, stdio: 'inherit' }).status !== 0 || failed
process.exitCode = failed ? 1 : 0
