import { defineConfig } from '@playwright/test'

/** The day of a user, from end to end. */
const STORY = 'story.spec.ts'
/** Each part of the terminal by mouse and by keyboard. */
const PARTS = [
  'sample.spec.ts',
  'replay.spec.ts',
  'review.spec.ts',
  'research.spec.ts',
  'palette.spec.ts',
  'alerts.spec.ts',
  'drawings.spec.ts',
  'workspace.spec.ts',
  'charts.spec.ts',
]

/** What is timed, and therefore runs alone. */
const SPEED = 'browser/speed.spec.ts'

/** The browser and the Electron project run the same story; they differ in how the app is started (tests/e2e/app.ts). */
export default defineConfig({
  testDir: 'tests/e2e',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  // Each test has a home and an app of its own, so those of one file need not wait for one another: no worker is left
  // without work while the other goes through a long file at the end. Two at a time wait for two markets at once.
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  // A test that passes only in its second run is counted as such and named at the end.
  retries: process.env['CI'] ? 1 : 0,
  reporter: [['list'], ['json']],
  outputDir: 'test-results',
  // A trace of each test costs nearly as much time as the test: that of a second run is kept, or of any by `--trace on`.
  use: { trace: process.env['CI'] ? 'on-first-retry' : 'off' },
  projects: [
    {
      name: 'browser',
      testMatch: [STORY, ...PARTS, 'access.spec.ts', 'browser/**/*.spec.ts'],
      testIgnore: SPEED,
    },
    // After all others, as a market beside it would be measured along.
    { name: 'speed', testMatch: SPEED, dependencies: ['browser'] },
    {
      name: 'electron',
      // Everything where Electron is real, or by hand. In the checks a stand-in for it is worth less than its time:
      // there the day of a user and what only this host has are played, and the rest is the browser host's.
      testMatch:
        process.env['CI'] && process.env['ELECTRON_OVERRIDE_DIST_PATH']
          ? [STORY, 'electron/**/*.spec.ts']
          : [STORY, ...PARTS, 'electron/**/*.spec.ts'],
    },
    // What `npm run pack` made.
    { name: 'packed', testMatch: 'packed/**/*.spec.ts' },
  ],
})
