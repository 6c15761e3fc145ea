/** The app on its desktop: its menu, its links, and its own program as the command line. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { firstLibrary } from '../../../src/shared/features/workspace/library.ts'
import { readyWorkspace } from '../../../src/shared/features/workspace/ready.ts'
import { appEnv, ended, ROOT } from '../app.ts'
import { expect, test } from '../fixtures.ts'
import { pane } from '../panes.ts'
import { Screen } from '../screen.ts'

// The package exports the path of its executable.
const program = createRequire(import.meta.url)('electron') as string

test('the native menu has the commands of the window, and runs them', async ({ open }) => {
  const { page, electron } = await open()
  await new Screen(page).trades('BTC-USD')
  const labels = () =>
    electron?.evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.map(({ label }) => label) ?? [])
  await expect.poll(labels).toEqual(expect.arrayContaining(['File', 'Watchlist', 'Chart', 'Research']))
  await electron?.evaluate(({ Menu }) => {
    const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? []
    items.find(({ label }) => label === 'Keyboard shortcuts')?.click()
  })
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
})

test('a link opens what it names in the window that is there, and a hostile one nothing', async ({ open, home }) => {
  const { page } = await open()
  await new Screen(page).trades('BTC-USD')
  const follow = async (link: string) => {
    const second = spawn(program, ['.', link], { cwd: ROOT, env: appEnv(home), stdio: 'ignore' })
    await ended(second, 'the second instance')
  }
  await follow('tapedeck://replay/..%2f..%2fetc?at=1')
  await follow('tapedeck://sessions')
  await expect(pane(page, 'sessions')).toBeVisible()
  await new Screen(page).ticks('BTC-USD')
})

test('the app’s own program is the command line too', async ({ home }) => {
  const said: string[] = []
  const child = spawn(program, ['.', 'completion', 'bash'], {
    cwd: ROOT,
    // Chromium's files of a command are in the user's own folder, which another program may use meanwhile.
    env: appEnv(home, { XDG_CONFIG_HOME: join(home, 'config') }),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text))
  await ended(child, 'the command line')
  expect(child.exitCode).toBe(0)
  expect(said.join('')).toContain('tapedeck')
})

test('safe mode shows ready-made panes, says so, and leaves what is kept as it is', async ({ open, home }) => {
  const settings = join(home, 'settings.json')
  writeFileSync(settings, JSON.stringify({ appearance: { theme: 'light', scale: 130 } }))
  const workspaces = JSON.stringify({
    ...firstLibrary(),
    workspaces: [{ ...readyWorkspace('overview'), name: 'Mine' }],
  })
  writeFileSync(join(home, 'workspaces.json'), workspaces)

  const { page, electron } = await open({ args: ['--safe-mode'] })
  const banner = page.getByRole('status').filter({ hasText: 'Safe mode.' })
  await expect(banner).toBeVisible()
  await new Screen(page).trades('BTC-USD')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  expect(readFileSync(join(home, 'workspaces.json'), 'utf8')).toBe(workspaces)
  const opened = electron?.waitForEvent('window')
  await pane(page, 'tape').getByRole('button', { name: 'Pane menu' }).click()
  await page.getByRole('button', { name: 'Move to new window' }).click()
  const beside = await opened
  if (!beside) throw new Error('no window was opened')
  const besideBanner = beside.getByRole('status').filter({ hasText: 'Safe mode.' })
  await expect(besideBanner).toBeVisible()
  // A stand-in for Electron lets no page close itself: that it was asked to is what is looked at.
  await beside.evaluate(() => {
    window.close = () => void (document.documentElement.dataset['closed'] = 'yes')
  })
  await banner.getByRole('button', { name: 'Leave safe mode' }).click()
  // What it was a part of is kept nowhere: its panes go with safe mode.
  await expect(beside.locator('html')).toHaveAttribute('data-closed', 'yes')
  await expect(besideBanner).toHaveCount(0)
  await expect(banner).toHaveCount(0)
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await new Screen(page).ticks('BTC-USD')
  expect(readFileSync(join(home, 'workspaces.json'), 'utf8')).toContain('"Mine"')
})

test('a window that dies comes back, and offers safe mode when it dies again and again, while recording goes on', async ({
  open,
}) => {
  const { page, electron } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  const banner = page.getByRole('status').filter({ hasText: 'Safe mode.' })
  await electron?.evaluate(({ dialog }) => {
    const seen: string[] = []
    Object.assign(globalThis, { seen })
    // What the user chooses is the first button.
    dialog.showMessageBox = (async (options: Electron.MessageBoxOptions) => {
      seen.push(options.buttons?.join('|') ?? '')
      return { response: 0, checkboxChecked: false }
    }) as typeof dialog.showMessageBox // called with the options alone
  })
  const asked = () => electron?.evaluate(() => (globalThis as typeof globalThis & { seen?: string[] }).seen)
  const die = () =>
    electron?.evaluate(({ BrowserWindow }) => {
      const details = { reason: 'crashed', exitCode: 5 }
      BrowserWindow.getAllWindows()[0]?.webContents.emit('render-process-gone', {}, details)
    })
  for (const died of [1, 2, 3]) {
    await page.evaluate(() => void (document.documentElement.dataset['before'] = 'death'))
    await die()
    await expect(page.locator('html')).not.toHaveAttribute('data-before', 'death')
    await screen.trades('BTC-USD')
    expect(await asked()).toEqual(died < 3 ? [] : ['Safe mode|Reopen normally|Close the window'])
    await expect(banner).toHaveCount(died < 3 ? 0 : 1)
  }
  await page.keyboard.press('F9')
  await expect(page.getByRole('region', { name: 'Health of this terminal' })).toContainText(
    /Recording\s*for 00:0\d:\d\d/,
  )
  await banner.getByRole('button', { name: 'Leave safe mode' }).click()
  await expect(banner).toHaveCount(0)
  await screen.ticks('BTC-USD')
})

// macOS tells no color with the change of one.
if (process.platform !== 'darwin')
  test('the accent of the system is worn once it is chosen, in every theme, as far as it can be read', async ({
    open,
  }) => {
    const { page, electron } = await open()
    await new Screen(page).trades('BTC-USD')
    const accent = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'))
    const own = await accent()
    const paint = (rgba: string) =>
      electron?.evaluate(
        ({ systemPreferences }, colour) => systemPreferences.emit('accent-color-changed', {}, colour),
        rgba,
      )
    await paint('ff8800ff')
    await page.keyboard.press('Control+,')
    await page.getByRole('tab', { name: 'Appearance' }).click()
    expect(await accent()).toBe(own)
    await page.getByRole('group', { name: 'Accent color' }).getByRole('radio', { name: 'System default' }).check()
    await expect.poll(accent).toBe('#ff8800')
    // White on white: the nearest that can be read.
    await page.getByRole('group', { name: 'Theme' }).getByRole('radio', { name: 'Light' }).check()
    await expect.poll(accent).not.toBe('#ff8800')
    await paint('220044ff')
    await expect.poll(accent).toBe('#220044')
    await page.getByRole('group', { name: 'Theme' }).getByRole('radio', { name: 'High contrast' }).check()
    await expect.poll(accent).not.toBe('#220044')
    await page.getByRole('radio', { name: 'Tapedeck blue' }).check()
    await expect.poll(accent).toBe('#6ea8ff')
  })

test('dark mode follows the system, and its own menus follow the theme', async ({ open }) => {
  const { page, electron } = await open()
  await new Screen(page).trades('BTC-USD')
  const source = () => electron?.evaluate(({ nativeTheme }) => nativeTheme.themeSource)
  const theme = page.locator('html')
  await expect.poll(source).toBe('dark')
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'Appearance' }).click()
  const choose = (name: string) =>
    page.getByRole('group', { name: 'Theme' }).getByRole('radio', { name, exact: true }).check()
  await choose('Light')
  await expect.poll(source).toBe('light')
  await choose('System default')
  await expect.poll(source).toBe('system')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(theme).toHaveAttribute('data-theme', 'dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(theme).toHaveAttribute('data-theme', 'light')
})

test('portable mode keeps everything in its folder, and Settings say which', async ({ open, home }) => {
  const stick = join(home, 'stick')
  const { page } = await open({ args: ['--home', stick] })
  await new Screen(page).trades('BTC-USD')
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'App and updates' }).click()
  await expect(page.getByText(`Portable: all data is stored in ${stick}.`)).toBeVisible()
  expect(existsSync(join(stick, 'tapedeck.db'))).toBe(true)
  expect(readdirSync(home)).toEqual(['stick'])
})
