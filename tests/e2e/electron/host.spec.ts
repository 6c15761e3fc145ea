/** What only the Electron host has: its window, its walls, its single instance. */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { appEnv, ended, ROOT } from '../app.ts'
import { expect, test } from '../fixtures.ts'
import { Screen } from '../screen.ts'

test('the page has no Node, no Electron, and cannot open or leave', async ({ open }) => {
  const { page, electron } = await open()
  await new Screen(page).trades('BTC-USD')
  expect(
    await page.evaluate(() =>
      ['require', 'process', 'module', 'global', 'Buffer', 'electron'].filter((n) => n in window),
    ),
  ).toEqual([])
  const address = page.url()
  expect(await page.evaluate(() => window.open('https://example.com/') === null)).toBe(true)
  await page.evaluate(() => {
    location.href = 'https://example.com/'
  })
  await new Screen(page).ticks('BTC-USD')
  expect(page.url()).toBe(address)
  expect(electron?.windows().length).toBe(1)
})

// The browsers of the other project hide their scrollbars.
test('time and sales shows whole prices beside its scrollbar', async ({ open }) => {
  const { page } = await open()
  const screen = new Screen(page)
  const rows = screen.tape().getByRole('rowgroup').last()
  const isLong = () => rows.evaluate((list) => list.scrollHeight > list.clientHeight)
  await expect.poll(isLong, { timeout: 30_000 }).toBe(true)
  const price = screen.prints().first().getByRole('cell').nth(1)
  await expect.poll(() => price.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0)
})

test('it cannot be made smaller than it is usable', async ({ open }) => {
  const { electron } = await open()
  const seen = await electron?.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    return window?.getMinimumSize()
  })
  expect(seen).toEqual([1024, 640])
})

test('the window opens where it was closed', async ({ open, home }) => {
  const placed = { x: 40, y: 60, width: 1180, height: 720 }
  const first = await open()
  await new Screen(first.page).trades('BTC-USD')
  await first.electron?.evaluate(
    ({ BrowserWindow }, bounds) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds),
    placed,
  )
  await first.close()
  expect(JSON.parse(await readFile(join(home, 'window.json'), 'utf8'))).toMatchObject(placed)
  const second = await open()
  await new Screen(second.page).trades('BTC-USD')
  const bounds = await second.electron?.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds())
  expect(bounds).toEqual(placed)
})

test('a second start shows the window of the first and ends', async ({ open, home }) => {
  const { page, electron } = await open()
  await new Screen(page).trades('BTC-USD')
  await electron?.evaluate(({ app, BrowserWindow }) => {
    const shared = globalThis as typeof globalThis & { seen?: string[] } // a note of this test, read below
    shared.seen = []
    app.on('second-instance', () => shared.seen?.push('second-instance'))
    BrowserWindow.getAllWindows()[0]?.on('focus', () => shared.seen?.push('focus'))
    BrowserWindow.getAllWindows()[0]?.minimize()
  })
  // The package exports the path of its executable.
  const path = createRequire(import.meta.url)('electron') as string
  const second = spawn(path, ['.'], { cwd: ROOT, env: appEnv(home), stdio: 'ignore' })
  await ended(second, 'the second instance')
  await expect
    .poll(() => electron?.evaluate(() => (globalThis as typeof globalThis & { seen?: string[] }).seen))
    .toContain('second-instance')
  expect(await electron?.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isMinimized())).toBe(false)
  await new Screen(page).ticks('BTC-USD')
})

test('a page that reloads gets its terminal back', async ({ open }) => {
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  await page.reload()
  await screen.trades('BTC-USD')
  await screen.ticks('BTC-USD')
})
