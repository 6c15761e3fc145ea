/** A recording is looked through, proven, taken away as files, and brought into another store: the same to the byte. */
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Locator } from '@playwright/test'
import { line, violationsByLook } from './accessibility.ts'
import { appEnv, CLI, pinnedNode, ROOT, runCli, type OpenApp } from './app.ts'
import { expect, test } from './fixtures.ts'
import { openPane, pane } from './panes.ts'
import { Screen } from './screen.ts'
import type { SimulatorProcess } from './simulator.ts'
import { tradesOf } from './trades-file.ts'

const SMALL = { width: 1024, height: 640 }
const NAME = 'Drop day'
const FORMATS = [
  ['CSV', 'csv'],
  ['Parquet', 'parquet'],
  ['JSON Lines', 'jsonl'],
] as const

const sha256 = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')

/** Answers of a command with `--json`, a line each. */
async function ask<T>(home: string, ...args: string[]): Promise<T[]> {
  const { code, out, err } = await runCli([...args, '--json'], home)
  expect([code, err]).toEqual([0, ''])
  // The command line's contract names the shapes.
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T)
}

/** Records the service for a few seconds, with two losses of every connection in their midst; answers the session. */
async function recordWithGaps(simulator: SimulatorProcess, home: string): Promise<string> {
  const account = ['--base-url', simulator.baseUrl, '--user', simulator.username]
  const feeds = ['--feed', 'crypto/XT:BTC-USD,ETH-USD', '--feed', 'crypto/XQ:BTC-USD']
  const child = spawn(pinnedNode(), [CLI, 'record', '--json', ...account, ...feeds, '--duration', '12s'], {
    cwd: ROOT,
    env: appEnv(home, { TAPEDECK_PASSWORD: simulator.password, TAPEDECK_API_KEY: simulator.apiKey }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  const closed = once(child, 'close')
  /** Connections that brought messages, those that were lost among them. */
  const connected = async () => (await simulator.sent()).connections.filter(({ market }) => market > 0).length
  await expect.poll(connected, { timeout: 30_000 }).toBe(2)
  // Something is received before each gap, and after it.
  for (let drops = 0; drops < 2; drops++) {
    await pause(2_000)
    const before = await connected()
    await simulator.fault('drop')
    await expect.poll(connected, { timeout: 30_000 }).toBe(before + 2)
  }
  await closed
  expect(child.exitCode, said.err).toBe(0)
  // The report of the session, as the command line's contract says.
  return (JSON.parse(said.out) as { session: string }).session
}

/**
 * Rules of WCAG 2.2 AA and axe's good practice on one part of the page, in both looks. They are the same page's in
 * either host: looked at in the browser's only.
 */
async function audit({ page, electron }: OpenApp, part: string, what: string): Promise<void> {
  if (electron !== null) return
  const root = page.locator('html')
  const before = await root.getAttribute('data-theme')
  for (const { look, found } of await violationsByLook(page, part, ['dark', 'light']))
    expect.soft(found.map((one) => line(`${what}, ${look}`, one))).toEqual([])
  await root.evaluate((node, theme) => node.setAttribute('data-theme', theme ?? 'dark'), before)
}
const DIALOG = '[role=dialog]'
const paneOf = (kind: string) => `[data-pane=${kind}]`

class ReviewScreen extends Screen {
  async openSessions(): Promise<void> {
    const sessions = await openPane(this.page, 'sessions')
    await expect(sessions.getByRole('grid')).toBeVisible()
  }
  /** A session in the list; its row carries its identity as its title. */
  session(id: string): Locator {
    return pane(this.page, 'sessions').getByRole('row').and(this.page.getByTitle(id))
  }
  async pick(id: string): Promise<void> {
    await this.openSessions()
    await this.session(id).click()
    await expect(this.session(id)).toHaveAttribute('aria-selected', 'true')
  }
  /** Does what the menu of a session offers. */
  async act(id: string, item: string | RegExp): Promise<void> {
    await this.pick(id)
    await pane(this.page, 'sessions').getByRole('button', { name: 'More actions for this session' }).click()
    await this.dialog('More actions for this session').getByRole('button', { name: item }).click()
  }
  /** Brings a file in by the import dialog, which ends at the list of sessions. */
  async bringIn(file: string, says: RegExp, whileOpen?: () => Promise<void>): Promise<void> {
    await this.openSessions()
    await pane(this.page, 'sessions').getByRole('button', { name: 'Open session file' }).click()
    const dialog = this.page.getByRole('dialog', { name: /^Import/ })
    await dialog.locator('input[type=file]').setInputFiles(file)
    await expect(dialog).toContainText(says)
    await whileOpen?.()
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByRole('button', { name: 'Show sessions' }).click()
    await expect(dialog).toHaveCount(0)
  }
  /** Exports the trades of a session in every form into `folder`; answers the hash of each file by its ending. */
  async exportAll(id: string, folder: string, whileOpen?: () => Promise<void>): Promise<string[]> {
    await this.act(id, 'Export…')
    const dialog = this.page.getByRole('dialog', { name: /^Export / })
    await dialog.getByLabel('Feed').selectOption('crypto/XT')
    await dialog.getByLabel('Folder').fill(folder)
    await dialog.getByLabel('Name', { exact: true }).fill('trades')
    await dialog.getByLabel('Include raw messages').check()
    await expect(dialog).toContainText(/About [\d,]+ rows/)
    await whileOpen?.()
    const hashes: string[] = []
    for (const [words, ending] of FORMATS) {
      await dialog.getByRole('radio', { name: words, exact: true }).check()
      await dialog.getByRole('button', { name: 'Export', exact: true }).click()
      const told = dialog.locator('dd').filter({ hasText: /^[0-9a-f]{64}$/ })
      await expect(told).toBeVisible({ timeout: 30_000 })
      const hash = await sha256(join(folder, `trades.${ending}`))
      await expect(told).toHaveText(hash)
      hashes.push(hash)
      await dialog.getByRole('button', { name: 'Export more' }).click()
    }
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toHaveCount(0)
    return hashes
  }
}

test('a recording is reviewed, proven, taken out and brought into another store', async ({ open, home, simulator }) => {
  test.setTimeout(360_000)
  const id = await recordWithGaps(simulator, home)
  const folders = { window: join(home, 'window'), line: join(home, 'line'), again: join(home, 'again') }
  for (const folder of Object.values(folders)) await mkdir(folder)
  const byLine: string[] = []
  await test.step('the command line verifies and exports it', async () => {
    expect(await ask(home, 'verify', '--session', id)).toMatchObject([{ sessions: 1, ok: true, problems: [] }])
    for (const [, ending] of FORMATS) {
      const out = join(folders.line, `trades.${ending}`)
      const args = ['--feed', 'crypto/XT', '--session', id, '--format', ending, '--raw', '--out', out]
      const [done] = await ask<{ sha256: string; rows: number }>(home, 'export', ...args)
      expect(done?.rows).toBeGreaterThan(5)
      byLine.push(done?.sha256 ?? '')
    }
  })
  const app = await open()
  const { page } = app
  page.setDefaultTimeout(15_000)
  const screen = new ReviewScreen(page)
  await screen.trades('BTC-USD')

  await test.step('it is named and pinned in the list, binned and brought back', async () => {
    await screen.pick(id)
    await page.keyboard.press('F2')
    await pane(page, 'sessions').getByRole('textbox', { name: 'Session name' }).fill(NAME)
    await page.keyboard.press('Enter')
    await expect(screen.session(id)).toContainText(NAME)
    await screen.act(id, /^Pin/)
    await expect(screen.session(id)).toContainText('Pinned')
    await screen.act(id, /^Delete/)
    await expect(screen.session(id)).toHaveCount(0)
    const toasts = page.getByRole('region', { name: 'Notifications' })
    await expect(toasts).toContainText(`${NAME} was moved to the bin.`)
    await toasts.getByRole('button', { name: 'Undo' }).click()
    await expect(screen.session(id)).toContainText(NAME)
    await expect(toasts).toContainText(`${NAME} was restored.`)
    await audit(app, paneOf('sessions'), 'sessions')
  })

  await test.step('its ledger is verified, and its gap is named with cause and length', async () => {
    await screen.act(id, 'Verify')
    const evidence = pane(page, 'evidence')
    await evidence.getByRole('tab', { name: 'Verification' }).click()
    await expect(evidence.getByRole('status')).toHaveText(/[\d,]+ messages in 1\s+session: all as recorded/)
    await audit(app, paneOf('evidence'), 'verification')
    await evidence.getByRole('tab', { name: 'Coverage' }).click()
    await evidence.getByRole('combobox', { name: 'Session' }).selectOption(id)
    const told = await ask<{ cause: string; seconds: number }>(home, 'sessions', '--gaps', '--session', id)
    // Two connections, each lost twice.
    expect(told.filter(({ cause, seconds }) => cause === 'drop' && seconds > 0)).toHaveLength(4)
    const gaps = evidence.getByRole('region', { name: 'Gaps, newest first' }).getByRole('row')
    await expect(gaps.filter({ hasText: 'crypto/XT' }).filter({ hasText: 'connection lost' })).toHaveCount(2)
    const trades = evidence.getByRole('region', { name: 'Coverage by feed' }).getByRole('row', { name: /^crypto\/XT/ })
    await expect(trades).toContainText(/\d\s*%[\s\S]*\d\s(ms|s)/)
    await expect(trades).not.toContainText('none')
    await audit(app, paneOf('evidence'), 'coverage')
    await evidence.getByRole('tab', { name: 'Agreement' }).click()
    await audit(app, paneOf('evidence'), 'agreement')
  })

  await test.step('a bar of it is shown with its messages, and follows from them', async () => {
    await screen.pick(id)
    await pane(page, 'sessions').getByRole('button', { name: 'Replay', exact: true }).click()
    await expect(page.getByRole('region', { name: 'Replay' })).toBeVisible()
    await page.keyboard.press('End')
    await expect(screen.bigPrice()).toHaveText(/\d/)
    await screen.interval('1m').click()
    await expect(screen.interval('1m')).toHaveAttribute('aria-checked', 'true')
    await expect.poll(async () => (await screen.bars('BTC-USD')).length).toBeGreaterThan(0)
    await page.getByLabel(/^Chart of BTC-USD\. Left/).focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: /^Messages behind BTC-USD .*1m$/ })
    await expect(dialog.getByRole('option').first()).toBeVisible()
    await expect(dialog).toContainText('matches the bar on the chart')
    // The first of its messages, as it was received.
    const raw = await dialog.locator('pre').innerText()
    const picked = JSON.parse(raw) as { ev: string; pair: string; t: number } // as the service's document says
    expect(picked).toMatchObject({ ev: 'XT', pair: 'BTC-USD' })
    const all = await tradesOf(join(folders.line, 'trades.csv'), 'BTC-USD')
    const minute = Math.floor(picked.t / 60_000)
    const mine = all.filter(({ eventMs }) => Math.floor(eventMs / 60_000) === minute)
    const prices = mine.map(({ price }) => price)
    const term = async (name: string) =>
      Number((await dialog.locator('.term').filter({ hasText: name }).locator('b').innerText()).replaceAll(',', ''))
    expect(await term('count')).toBe(mine.length)
    expect([await term('high'), await term('low')]).toEqual([Math.max(...prices), Math.min(...prices)])
    const volume = mine.reduce((sum, { size }) => sum + size, 0)
    expect(await term('volume')).toBeCloseTo(volume, 6)
    await audit(app, DIALOG, 'provenance')
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await page.keyboard.press('Alt+End')
    await expect(page.getByRole('region', { name: 'Replay' })).toHaveCount(0)
  })

  await test.step('the window exports the same bytes as the command line', async () => {
    expect(await screen.exportAll(id, folders.window, () => audit(app, DIALOG, 'export'))).toEqual(byLine)
    const manifest = await readFile(join(folders.window, 'trades.csv.manifest.json'), 'utf8')
    expect(JSON.parse(manifest)).toMatchObject({ sha256: byLine[0] })
    expect(manifest).toContain(id)
  })

  const file = join(folders.window, 'drop-day.tapedeck')
  await test.step('it is saved as one file, the same as the command line writes', async () => {
    await screen.act(id, /^Save as session file/)
    const dialog = screen.dialog('Save as session file')
    await dialog.getByLabel('Folder').fill(folders.window)
    await dialog.getByLabel('File', { exact: true }).fill('drop-day.tapedeck')
    await audit(app, DIALOG, 'saving a session')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(dialog.locator('output')).toContainText('drop-day.tapedeck')
    await dialog.locator('.foot').getByRole('button', { name: 'Close' }).click()
    const [done] = await ask<{ sha256: string }>(
      home,
      ...['sessions', '--session', id, '--out', join(folders.line, 'drop-day.tapedeck')],
    )
    expect(await sha256(file)).toBe(done?.sha256)
    await page.getByRole('contentinfo').getByRole('button', { name: 'Jobs' }).click()
    await expect(screen.dialog('Jobs').getByRole('listitem').filter({ hasText: 'drop-day.tapedeck' })).toBeVisible()
    await audit(app, DIALOG, 'jobs')
    await page.keyboard.press('Escape')
  })
  await app.close()

  const other = join(home, 'other')
  await test.step('a fresh store takes the session in: replayed, verified and exported it is the same', async () => {
    const fresh = await open({ home: other, size: SMALL })
    fresh.page.setDefaultTimeout(15_000)
    const there = new ReviewScreen(fresh.page)
    await there.trades('BTC-USD')
    await there.bringIn(file, /A session file saved by Tapedeck/, () => audit(fresh, DIALOG, 'import'))
    await expect(there.session(id)).toContainText(NAME)
    expect(await there.exportAll(id, folders.again)).toEqual(byLine)
    expect(await ask(other, 'verify', '--session', id)).toMatchObject([{ sessions: 1, ok: true, problems: [] }])
    const digests = ['replay', '--session', id, '--speed', 'max', '--digest']
    expect(await ask(other, ...digests)).toEqual(await ask(home, ...digests))
    const gaps = ['sessions', '--gaps', '--session', id]
    expect(await ask(other, ...gaps)).toEqual(await ask(home, ...gaps))

    await there.bringIn(join(folders.window, 'trades.csv'), /Ticks exported by Tapedeck as CSV/)
    const sessions = await ask<{ session: string; imported: boolean }>(other, 'sessions')
    const [copy, ...more] = sessions.filter(({ session, imported }) => imported && session !== id)
    expect(more).toEqual([])
    const session = copy?.session ?? ''
    await expect(there.session(session)).toBeVisible()
    const args = ['--feed', 'crypto/XT', '--session', session, '--raw', '--out', join(folders.again, 'copy.csv')]
    expect(await ask(other, 'export', ...args)).toMatchObject([{ sha256: byLine[0] }])
  })
})
