/** A session file is opened as the system opens files: by an argument, by a second start, by a drop on the window. */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { appEnv, ended, ROOT, runCli } from '../app.ts'
import { expect, test } from '../fixtures.ts'
import { Screen } from '../screen.ts'

/** Records a demo on another machine; answers its session and the file of it. */
async function recorded(home: string): Promise<{ readonly id: string; readonly file: string }> {
  const args = ['record', '--demo', '--feed', 'crypto/XT:BTC-USD', '--duration', '3s', '--json']
  const { code, out, err } = await runCli(args, home)
  expect(code, err).toBe(0)
  const { session: id } = JSON.parse(out) as { session: string } // the report, as the command line's contract says
  const file = join(home, 'monday.tapedeck')
  expect((await runCli(['sessions', '--session', id, '--out', file], home)).code).toBe(0)
  return { id, file }
}

test('a session file is offered for import, however it is opened', async ({ open, home }) => {
  const { id, file } = await recorded(join(home, 'there'))
  const here = join(home, 'here')
  const app = await open({ home: here, args: [file] })
  const { page } = app
  const screen = new Screen(page)
  const dialog = screen.dialog(`Import ${basename(file)}`)

  await test.step('as an argument', async () => {
    await expect(dialog).toContainText('A session file saved by Tapedeck')
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByRole('button', { name: 'Show sessions' }).click()
    await expect(page.getByRole('row').and(page.getByTitle(id))).toBeVisible()
    expect((await readFile(file)).length).toBeGreaterThan(0)
  })

  await test.step('by a second start in its folder', async () => {
    // The package exports the path of its executable.
    const path = createRequire(import.meta.url)('electron') as string
    const second = spawn(path, [ROOT, basename(file)], { cwd: dirname(file), env: appEnv(here), stdio: 'ignore' })
    await ended(second, 'the second instance')
    await expect(dialog).toContainText('A session file saved by Tapedeck')
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await expect(dialog).toContainText('is already in the store')
    await dialog.locator('.foot').getByRole('button', { name: 'Close' }).click()
    await expect(dialog).toHaveCount(0)
  })

  await test.step('by a drop on the window', async () => {
    const bytes = (await readFile(file)).toString('base64')
    const data = await page.evaluateHandle(
      ({ bytes, name }) => {
        const drop = new DataTransfer()
        drop.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name))
        return drop
      },
      { bytes, name: basename(file) },
    )
    await screen.watchlist().dispatchEvent('dragover', { dataTransfer: data })
    await expect(page.getByText('Drop to import')).toBeVisible()
    await screen.watchlist().dispatchEvent('drop', { dataTransfer: data })
    await expect(dialog).toContainText('A session file saved by Tapedeck')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toHaveCount(0)
  })
})
