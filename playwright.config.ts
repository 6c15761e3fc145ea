import { defineConfig } from '@playwright/test'
import { BROWSER_ONLY } from './tests/e2e/tags.ts'

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
  'footprint.spec.ts',
  'team.spec.ts',
  'health.spec.ts',
  'lists.spec.ts',
  'screener.spec.ts',
  'journal.spec.ts',
]

/** What is timed, and therefore runs alone. */
const SPEED = 'browser/speed.spec.ts'

/** The browser and the Electron project run the same story; they differ in how the app is started (tests/e2e/app.ts). */
export default defineConfig({
  testDir: 'tests/e2e',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  // Each test has a home and an app of its own, so those of one file need not wait for one another: no worker is left
  // without work while the other goes through a long file at the end. Half of a story is waiting, so three of them keep
  // two cores busy.
  fullyParallel: true,
  workers: 3,
  forbidOnly: true,
  // A story in a real browser on a busy machine: what passes only in its second run is counted apart and always named.
  retries: process.env['CI'] ? 1 : 0,
  reporter: [['list'], ['json']],
  outputDir: 'test-results',
  // A trace of each test costs nearly as much time as the test: `--trace on` takes them.
  use: { trace: 'off', screenshot: 'only-on-failure' },
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
      testMatch: [STORY, ...PARTS, 'electron/**/*.spec.ts'],
      grepInvert: new RegExp(BROWSER_ONLY),
    },
    // What `npm run pack` made.
    { name: 'packed', testMatch: 'packed/**/*.spec.ts' },
  ],
})
