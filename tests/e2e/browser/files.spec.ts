/** Files on their way out and in by the dialogs: extended bars, tabs, and time formats. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '../fixtures.ts'
import { Screen } from '../screen.ts'

test('extended bars go into a file with tabs, and a preset remembers them', async ({ open, home }) => {
  const { page } = await open()
  await new Screen(page).trades('BTC-USD')
  await page.keyboard.press('Alt+e')
  const dialog = page.getByRole('dialog', { name: /^Export/ })
  const extended = dialog.getByRole('checkbox', { name: 'Include feed, end time, and VWAP' })
  await expect(dialog.getByLabel('Feed')).toBeVisible()
  await expect(extended).toHaveCount(0)
  await dialog.getByRole('radio', { name: 'Bars', exact: true }).check()
  await dialog.getByLabel('Interval').selectOption('1s')
  await dialog.getByLabel('Columns', { exact: true }).selectOption('1')
  // By keyboard: the format's radio buttons, the columns, then the first of the options.
  await dialog.getByRole('radio', { name: 'CSV' }).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(extended).toBeFocused()
  await page.keyboard.press('Space')
  await expect(extended).toBeChecked()

  await dialog.getByRole('button', { name: 'Save as…' }).click()
  await dialog.getByLabel('Preset name').fill('VWAP')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await extended.uncheck()
  await dialog.getByLabel('Preset', { exact: true }).selectOption('')
  await dialog.getByLabel('Preset', { exact: true }).selectOption('VWAP')
  await expect(extended).toBeChecked()

  await dialog.getByLabel('Folder').fill(home)
  await dialog.getByLabel('Name', { exact: true }).fill('bars.tsv')
  await expect(dialog).toContainText('A .tsv file is separated by tabs')
  await expect(dialog.getByRole('button', { name: 'Export', exact: true })).toBeDisabled()
  await dialog.getByLabel('Separator').selectOption('Tab')
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(dialog.locator('dd').filter({ hasText: /^[0-9a-f]{64}$/ })).toBeVisible()
  const [head, first = ''] = (await readFile(join(home, 'bars.tsv'), 'utf8'))
    .split('\n')
    .map((line) => line.split('\t'))
  expect(head?.slice(-4)).toEqual(['feed', 'end_ms', 'end_iso', 'vwap'])
  expect(first.slice(-4)).toEqual([
    'crypto/XT',
    String(Number(first[1]) + 1_000),
    expect.any(String),
    expect.any(String),
  ])
  const manifest: unknown = JSON.parse(await readFile(join(home, 'bars.tsv.manifest.json'), 'utf8'))
  expect(manifest).toMatchObject({ schema: 'tapedeck/bars/1+extended', columns: head })
})

test('a table is imported in the time format that is chosen', async ({ open, home }) => {
  const file = join(home, 'bank.csv')
  await writeFile(file, 'time,symbol,price,size\n31.12.2025 14:30:15,SAP,100,1\n25.10.2026 02:30:00,SAP,101,2\n')
  const { page } = await open()
  await new Screen(page).trades('BTC-USD')
  await page.keyboard.press('Alt+i')
  const dialog = page.getByRole('dialog', { name: /^Import/ })
  await dialog.getByLabel('Choose a file…').setInputFiles(file)
  const problems = dialog.getByRole('list', { name: 'Problems' })
  await expect(problems).toContainText('"31.12.2025 14:30:15" isn’t a time')
  const format = dialog.getByLabel('Time format', { exact: true })
  await format.selectOption('other')
  await dialog.getByLabel('Other time format').fill('DD.MM')
  await page.keyboard.press('Tab')
  await expect(problems).toContainText('"DD.MM" isn’t a valid time format')
  await expect(dialog.getByRole('button', { name: 'Import', exact: true })).toBeDisabled()
  await format.selectOption('DD.MM.YYYY HH:mm:ss')
  await expect(problems).toHaveCount(0)
  // The second line lies in the hour that Berlin has twice.
  await dialog.getByLabel('Time zone').fill('Europe/Berlin')
  await page.keyboard.press('Tab')
  await expect(problems).toContainText('occurred twice in Europe/Berlin')
  await expect(dialog.getByRole('button', { name: 'Import', exact: true })).toBeDisabled()
  await dialog.getByLabel('Repeated local times').selectOption('second')
  await expect(problems).toHaveCount(0)
  await dialog.getByLabel('Row type').selectOption('stocks/T')
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(dialog).toContainText('2 messages in one session.')
})
