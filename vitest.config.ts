import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

// Many tests start the program from its sources, in processes of their own: Node reads and compiles those once for all.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

/** What a test waits for comes at once, but not on a machine that is busy with something else. */
const PATIENCE = { poll: { timeout: 15_000 } }
/**
 * Ends a test or hook that hangs, ms. The longest properties compute for 20 s on a quiet machine, and several times as long
 * beside other work.
 */
const TIMEOUT = 120_000

/** Tests of pure functions, which leave nothing behind: files share a process and what it has loaded. */
const PURE = ['oracle', 'server', 'service', 'shared', 'simulator', 'styles'].map(
  (name) => `tests/unit/${name}/**/*.test.ts`,
)

const NODE = {
  environment: 'node',
  pool: 'forks' as const,
  setupFiles: ['tests/unit/setup.ts'],
  testTimeout: TIMEOUT,
  hookTimeout: TIMEOUT,
  expect: PATIENCE,
}

export default defineConfig({
  test: {
    // Every core: one is left free by default, which is half of a small machine.
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          ...NODE,
          name: 'unit',
          include: ['tests/unit/**/*.test.ts', 'tests/contract/**/*.test.ts'],
          exclude: ['tests/unit/renderer/**', ...PURE],
        },
      },
      { test: { ...NODE, name: 'pure', include: PURE, isolate: false } },
      {
        plugins: [svelte()],
        resolve: { conditions: ['browser'] },
        test: {
          name: 'renderer',
          environment: 'jsdom',
          // A context of its own for each file, as ever, without loading jsdom anew for it: a third of the time.
          pool: 'vmForks',
          setupFiles: ['tests/unit/setup.ts', 'tests/unit/renderer/setup.ts'],
          include: ['tests/unit/renderer/**/*.test.ts'],
          testTimeout: TIMEOUT,
          hookTimeout: TIMEOUT,
          expect: PATIENCE,
        },
      },
    ],
  },
})
