import { globSync, readFileSync } from 'node:fs'
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

/** The window's tests have a project of their own. */
const WINDOW = 'tests/unit/renderer/**/*.test.ts'
/** What a file does to all that runs in its process: replace modules, globals, the clock or the environment. */
const REPLACES =
  /\bvi\.(mock|doMock|resetModules|spyOn|stub\w+|set\w+|useFakeTimers)\(|\bprocess\.(env|exitCode|chdir|umask|on|once)\b|\bglobalThis[,.]/
/** It keeps a server of its own. */
const SERVES = /(?:\/kit\/(?:nats-server|postgres-\w+|team-recorder)|history\/kit|'\.\/kit)\.ts'/
/** Files that have a process of their own. The others share one and what it has loaded: a fifth of their time. */
const ALONE = globSync('tests/{unit,contract}/**/*.test.ts', { cwd: import.meta.dirname, exclude: [WINDOW] }).filter(
  (file) => {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8')
    return REPLACES.test(text) || SERVES.test(text)
  },
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
          name: 'shared',
          include: ['tests/{unit,contract}/**/*.test.ts'],
          exclude: [WINDOW, ...ALONE],
          isolate: false,
        },
      },
      { test: { ...NODE, name: 'alone', include: ALONE } },
      {
        plugins: [svelte()],
        resolve: { conditions: ['browser'] },
        test: {
          name: 'renderer',
          environment: 'jsdom',
          // A context of its own for each file, as ever, without loading jsdom again for it: a third of the time.
          pool: 'vmForks',
          setupFiles: ['tests/unit/setup.ts', 'tests/unit/renderer/setup.ts'],
          include: [WINDOW],
          testTimeout: TIMEOUT,
          hookTimeout: TIMEOUT,
          expect: PATIENCE,
        },
      },
    ],
  },
})
