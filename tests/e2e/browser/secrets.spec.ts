/** The story of secrets in the browser host. */
import { test } from '../fixtures.ts'
import { playSecrets } from '../secrets-story.ts'

test('no secret stays in a file, an export, a report or the memory of the page', async ({ open, home, simulator }) => {
  // The log holds the most at this level, which only the command line takes.
  await playSecrets({ open, home, simulator, args: ['--log-level', 'debug'] })
})
