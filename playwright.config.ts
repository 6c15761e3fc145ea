import { defineConfig } from '@playwright/test'

/** Both projects run the same story; they differ in how the app is started (tests/e2e/app.ts). */
export default defineConfig({
  testDir: 'tests/e2e',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  fullyParallel: false,
  workers: 1,
  forbidOnly: true,
  // A test that passes only in its second run is counted as such and named at the end.
  retries: process.env['CI'] ? 1 : 0,
  reporter: [['list'], ['json']],
  outputDir: 'test-results',
  use: { trace: 'retain-on-failure' },
  projects: [
    {
      name: 'browser',
      testMatch: [
        'story.spec.ts',
        'drawings.spec.ts',
        'replay.spec.ts',
        'research.spec.ts',
        'review.spec.ts',
        'access.spec.ts',
        'palette.spec.ts',
        'alerts.spec.ts',
        'browser/**/*.spec.ts',
      ],
    },
    {
      name: 'electron',
      testMatch: [
        'story.spec.ts',
        'drawings.spec.ts',
        'palette.spec.ts',
        'replay.spec.ts',
        'research.spec.ts',
        'review.spec.ts',
        'alerts.spec.ts',
        'electron/**/*.spec.ts',
      ],
    },
  ],
})
