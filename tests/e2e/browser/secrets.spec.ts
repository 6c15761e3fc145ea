/** The story of secrets in the browser host. */
import { test } from '../fixtures.ts'
import { playSecrets } from '../secrets-story.ts'

test('no secret stays in a file, an export, a report or the memory of the page', async ({ open, home, simulator }) => {
  await playSecrets({ open, home, simulator })
})
