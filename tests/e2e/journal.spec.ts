/** The trade journal: notes pinned to the tape, seen on charts, in replays and after a restart, and the review of a session. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { line, violations } from './accessibility.ts'
import { runCli } from './app.ts'
import { expect, test } from './fixtures.ts'
import { openPane, pane as paneOf } from './panes.ts'
import { Screen } from './screen.ts'

/** A red picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

async function addNote(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+Alt+n')
  const dialog = page.getByRole('dialog', { name: 'Add note' })
  await dialog.getByLabel('Note', { exact: true }).fill(text)
  await page.keyboard.press('Control+Enter')
  await expect(dialog).toBeHidden()
}

test('notes are pinned to the tape, and the review has all of a session', async ({ open, home, host }) => {
  test.setTimeout(240_000)
  let app = await open()
  let { page } = app
  await page.getByRole('region', { name: 'Watchlist' }).getByText('BTC-USD', { exact: true }).first().click()
  await expect.poll(() => new Screen(page).prints().count()).toBeGreaterThan(5)

  await test.step('a note is written by keys, with a tag and a screenshot of the chart', async () => {
    await page.keyboard.press('Control+Alt+n')
    const dialog = page.getByRole('dialog', { name: 'Add note' })
    await expect(dialog.getByLabel('Note', { exact: true })).toBeFocused()
    await expect(dialog.getByRole('button', { name: 'Add', exact: true })).toBeDisabled()
    await page.keyboard.type('Bought the breakout #late')
    await dialog.getByRole('button', { name: 'Attach chart' }).click()
    await expect(dialog.getByRole('img', { name: 'Screenshot 1' })).toBeVisible()
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') })
    await expect(dialog.getByRole('img', { name: 'Screenshot 2' })).toBeVisible()
    const found = await violations(page, 'dialog[open]')
    expect.soft(found.map((one) => line('note dialog', one))).toEqual([])
    await page.keyboard.press('Control+Enter')
    await expect(dialog).toBeHidden()
  })
  await test.step('it is in the journal and on the tape', async () => {
    const journal = await openPane(page, 'journal')
    const notes = journal.getByRole('list', { name: 'Notes' }).getByRole('listitem')
    await expect(notes).toHaveCount(1)
    await expect(notes.first()).toContainText('Bought the breakout #late')
    await expect(notes.first().getByRole('img')).toHaveCount(2)
  })
  await test.step('removing one can be undone', async () => {
    await addNote(page, 'Second')
    const notes = paneOf(page, 'journal').getByRole('list', { name: 'Notes' }).getByRole('listitem')
    await expect(notes).toHaveCount(2)
    await notes
      .first()
      .getByRole('button', { name: /^Remove note/ })
      .click()
    await expect(notes).toHaveCount(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(notes).toHaveCount(2)
  })
  await test.step('the review has moves and notes, and saves them as Markdown', async () => {
    const journal = paneOf(page, 'journal')
    await journal.getByRole('tab', { name: 'Review' }).click()
    const review = journal.getByRole('article', { name: 'Review' })
    // Whichever moved: 20 of the 21 symbols are listed.
    const most = review.getByRole('row').nth(1)
    await expect(most).toContainText('%')
    const symbol = await most.getByRole('button').first().innerText()
    await expect(review).toContainText('Bought the breakout')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      journal.getByRole('button', { name: 'Save as Markdown' }).click(),
    ])
    const text = (await readFile(await download.path())).toString()
    expect(download.suggestedFilename()).toMatch(/\.md$/)
    expect(text).toContain('## Largest moves')
    expect(text).toContain(`| ${symbol}`)
    expect(text).toContain('![Screenshot](data:image/png;base64,')
    const found = await violations(page, '[data-testid="pane-body"]')
    expect.soft(found.map((one) => line('journal', one))).toEqual([])
  })
  await test.step('bars marked on a chart are reviewed, no more and no less', async () => {
    const chart = page.getByRole('application', { name: /^Chart of BTC-USD/ })
    await chart.focus()
    // Not the last bar, which still forms: its end is after the clock.
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Control+Shift+ArrowLeft')
    await page.keyboard.press('Control+Shift+ArrowLeft')
    const card = page.getByRole('group', { name: 'Marked range' })
    await expect(card).toContainText('3 bars')
    const [, seconds = ''] = /3 bars, (\d+) s/.exec(await card.innerText()) ?? []
    await paneOf(page, 'journal').getByRole('tab', { name: 'Notes' }).click()
    await chart.focus()
    await page.keyboard.press('Control+Alt+r')
    const review = paneOf(page, 'journal').getByRole('article', { name: 'Review' })
    const [, from = '', to = ''] =
      /:(\d\d) to .*:(\d\d) \(/.exec(await review.getByRole('heading', { level: 3 }).innerText()) ?? []
    expect((Number(to) - Number(from) + 60) % 60).toBe(Number(seconds))
    await expect(paneOf(page, 'journal').getByRole('button', { name: 'Marked range' })).toHaveAttribute(
      'aria-pressed',
      'true',
    )
  })
  await test.step('printing shows the review alone, dark on white', async () => {
    await page.evaluate(() => {
      globalThis.print = () => undefined
    })
    const review = paneOf(page, 'journal').getByRole('article', { name: 'Review' })
    await paneOf(page, 'journal').getByRole('button', { name: 'Last 24 hours' }).click()
    await expect(review.getByRole('row').nth(1)).toContainText(/\d{4} \d\d:\d\d:\d\d/)
    await paneOf(page, 'journal')
      .getByRole('button', { name: host === 'browser' ? 'Print or save as PDF' : 'Print', exact: true })
      .click()
    await page.emulateMedia({ media: 'print' })
    await expect(page.locator('.print-sheet')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Watchlist' })).toBeHidden()
    const symbol = page.locator('.print-sheet').getByRole('button').first()
    await expect(symbol).toHaveCSS('color', 'rgb(31, 87, 195)') // of the light theme: the window is dark
    // Electron's pages have no PDF by Playwright.
    if (host === 'browser') {
      await page.setViewportSize({ width: 718, height: 1000 }) // a page of A4
      const tables = page.locator('.print-sheet .wide')
      const isCut = await tables.evaluateAll((all) => all.some((one) => one.scrollWidth > one.clientWidth))
      expect(isCut, 'a table that leaves the paper').toBe(false)
      expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-')
    }
    await page.emulateMedia({ media: null })
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    await expect(page.locator('.print-sheet')).toHaveCount(0)
  })
  await test.step('after a restart everything is there, and a replay’s beginning doesn’t know it yet', async () => {
    await app.close()
    app = await open()
    page = app.page
    const journal = paneOf(page, 'journal')
    const notes = journal.getByRole('list', { name: 'Notes' }).getByRole('listitem')
    await expect(notes).toHaveCount(2)
    await new Screen(page).replayFromStart()
    await expect(journal.getByText('No notes yet')).toBeVisible()
  })
  await test.step('a note taken in the replay is pinned to its time, on the tape and on the chart', async () => {
    const journal = paneOf(page, 'journal')
    // A busy window may show the first print only after further steps, so any print will do.
    await expect(async () => {
      await page.keyboard.press('Control+ArrowRight')
      await expect(new Screen(page).prints().first()).toBeVisible({ timeout: 1_000 })
    }).toPass()
    const menuOf = new Screen(page).prints().first()
    const time = (await menuOf.getByRole('cell').first().innerText()).trim().slice(0, 5)
    await menuOf.click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Add note to this print' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add note' })
    await expect(dialog.getByLabel('Time', { exact: true })).toHaveValue(new RegExp(` ${time}`))
    await page.keyboard.type('Seen in the replay')
    await page.keyboard.press('Control+Enter')
    await expect(dialog).toBeHidden()
    const notes = journal.getByRole('list', { name: 'Notes' }).getByRole('listitem')
    await expect(notes.filter({ hasText: 'Seen in the replay' })).toHaveCount(1)
    // Prints received in the same millisecond are marked, too. A step still on its way may have put a later print first.
    const marked = new Screen(page).prints().and(page.locator('[title*="Seen in the replay"]'))
    await expect(marked.first()).toBeVisible()
  })
  await test.step('the command line writes the same review', async () => {
    await app.close()
    const { code, out, err } = await runCli(['journal', '--session', 'latest', '--from', '-1h'], home)
    expect(code, err).toBe(0)
    expect(out).toContain('Bought the breakout #late')
    expect(out).toMatch(/!\[Screenshot\]\(.*journal.*\.(png|jpg)\)/)
  })
})

test('with large text in a small window, notes and reviews can be scrolled to', async ({ open, home }) => {
  await writeFile(join(home, 'settings.json'), JSON.stringify({ appearance: { scale: 150 } }))
  const { page } = await open({ size: { width: 1024, height: 640 } })
  await page.getByRole('region', { name: 'Watchlist' }).getByText('BTC-USD', { exact: true }).first().click()
  await addNote(page, 'Bought the breakout')
  const journal = await openPane(page, 'journal')
  const note = journal.getByText('Bought the breakout')
  await note.scrollIntoViewIfNeeded()
  await expect(note).toBeInViewport({ ratio: 1 })
  await journal.getByRole('tab', { name: 'Review' }).click()
  const moves = journal.getByRole('heading', { name: 'Largest moves' })
  await moves.scrollIntoViewIfNeeded()
  await expect(moves).toBeInViewport({ ratio: 1 })
})
