/** The story of secrets in Electron, with a fault of the main process that names every one of them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../fixtures.ts'
import { playSecrets } from '../secrets-story.ts'

test('no secret stays in a crash report, nor in what Electron writes', async ({ open, home, simulator }) => {
  test.setTimeout(150_000)
  await playSecrets({
    open,
    home,
    simulator,
    async crash({ electron }, secrets) {
      await electron?.evaluate((_electron, all) => {
        const spelt = [...all, JSON.stringify({ password: all[0], note: all[2] }), ...all.map(encodeURIComponent)]
        // Uncaught, as a fault of our own would be.
        setTimeout(() => {
          throw new Error(`refused: ${spelt.join('\n')}`)
        })
      }, secrets)
      const crashes = () => {
        try {
          return readdirSync(join(home, 'crashes'))
        } catch {
          return [] // nothing has crashed yet
        }
      }
      await expect.poll(crashes).toHaveLength(1)
      // Electron's own folder: cookies, caches, local storage.
      expect(readdirSync(join(home, 'chromium')).length).toBeGreaterThan(
        process.env['ELECTRON_OVERRIDE_DIST_PATH'] ? -1 : 0,
      )
      return [join('crashes', crashes()[0] ?? '')]
    },
  })
})
