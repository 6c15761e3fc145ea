/**
 * A story with known secrets, in either host, after which none of them lies anywhere: files, texts for helpers, crash
 * reports, exports, what the host itself keeps, the page's memory.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { runCli, type OpenApp, type OpenOptions } from './app.ts'
import { expect, test } from './fixtures.ts'
import { overlayService } from './overlaid-service.ts'
import { Screen } from './screen.ts'
import type { SimulatorProcess } from './simulator.ts'

/** A JSON Web Token, of whatever content. */
const TOKEN = /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/

/** The ways in which a secret would lie in a file. */
function spellings(secret: string): Buffer[] {
  const texts = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
  const inner = Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1)
  return [...new Set([...texts, inner])].map((text) => Buffer.from(text)).concat(Buffer.from(secret, 'utf16le'))
}

function filesBelow(folder: string, leaveOut: readonly string[] = []): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !leaveOut.some((one) => file.startsWith(join(folder, one))))
}

/** The page's memory after everything that nobody holds is gone, as its developer tools would save it. */
async function heapOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  const parts: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => parts.push(chunk))
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  return parts.join('')
}

export interface SecretsStory {
  readonly open: (options?: Partial<OpenOptions>) => Promise<OpenApp>
  readonly home: string
  readonly simulator: SimulatorProcess
  /** Arguments of the app. */
  readonly args?: readonly string[]
  /** Called with every secret once all were used; what it does may leave further files, which it names. */
  readonly crash?: (app: OpenApp, secrets: readonly string[]) => Promise<readonly string[]>
}

/** Plays it, and looks. */
export async function playSecrets({ open, home, simulator, args = [], crash }: SecretsStory): Promise<void> {
  const service = await overlayService(simulator.baseUrl)
  const app = await open({ args })
  const { page, close } = app
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  await page.getByRole('button', { name: 'Connect your account' }).click()
  const dialog = screen.dialog('Connect your account')
  const wrong = 'wr0ng "Pässword" of tonight'
  await dialog.getByLabel('Base URL').fill(service.baseUrl)
  await dialog.getByLabel('User', { exact: true }).fill(simulator.username)
  await dialog.getByLabel('API key').fill(simulator.apiKey)
  await dialog.getByLabel('Password', { exact: true }).fill(wrong)
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText(/password/i)
  // Typed and not yet sent they are there: the same look finds them.
  expect(await heapOf(page)).toContain(simulator.apiKey)
  await dialog.getByLabel('Password', { exact: true }).fill(simulator.password)
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(dialog).toBeHidden()
  await screen.trades('BTC-USD')

  await test.step('odd things happen: refusals, an expired token, garbage, a service that answers with errors', async () => {
    await simulator.fault('rest', { count: 2, kind: 'status', status: 401 })
    await simulator.fault('malformed', { count: 5 })
    await simulator.fault('expire-token')
    await simulator.fault('drop')
    await expect.poll(() => service.authorizations.size).toBeGreaterThan(1)
  })
  const sent = () => [simulator.password, simulator.apiKey, wrong, ...service.authorizations]
  const left = (await crash?.(app, sent())) ?? []
  await test.step('a report is made for somebody who helps', async () => {
    await page.keyboard.press('Control+,')
    await page.getByRole('tab', { name: 'App and updates' }).click()
    await page.getByRole('button', { name: 'Create report' }).click()
  })
  const report = await page.getByRole('textbox', { name: 'Report' }).inputValue()
  await page.keyboard.press('Escape')
  await screen.trades('BTC-USD')
  const heap = await heapOf(page)
  // The market's own words are in it, so a secret would be seen as well.
  expect(heap).toContain('BTC-USD')
  await close()

  const env = ['--base-url', service.baseUrl, '--user', simulator.username]
  const outside = await Promise.all([
    runCli(['backup', '--out', join(home, 'kept')], home),
    runCli(
      [
        'export',
        '--feed',
        'crypto/XT',
        '--source',
        `service:${simulator.username}@${service.baseUrl}`,
        '--raw',
        '--format',
        'jsonl',
        '--out',
        join(home, 'out.jsonl'),
      ],
      home,
    ),
    runCli(['fetch', 'news', '--json', ...env], home),
  ])
  await service.close()
  expect(outside.slice(0, 2).map(({ code, err }) => code ?? err)).toEqual([0, 0])

  expect([...service.authorizations].some((one) => TOKEN.test(one))).toBe(true)
  const secrets = sent()
  expect(secrets.every((secret) => secret.length > 7)).toBe(true)
  const told = [report, heap, ...outside.flatMap(({ out, err }) => [out, err])].map((text) => Buffer.from(text))
  const files = filesBelow(home, ['simulator'])
  expect(files.map((file) => file.slice(home.length + 1))).toEqual(
    expect.arrayContaining([
      'tapedeck.db',
      'settings.json',
      join('logs', 'tapedeck.log'),
      join('kept', 'backup.json'),
      'out.jsonl',
      ...left,
    ]),
  )
  const places = [
    ...told.map((bytes, i) => ({ name: ['report', 'heap'][i] ?? 'output', bytes })),
    ...files.map((name) => ({ name, bytes: readFileSync(name) })),
  ]
  const found = places.flatMap(({ name, bytes }) => [
    ...secrets.flatMap((secret, i) =>
      spellings(secret).some((text) => bytes.includes(text)) ? [`${name}: ${i}`] : [],
    ),
    ...(TOKEN.test(bytes.toString('latin1')) ? [`${name}: a token`] : []),
  ])
  expect(found).toEqual([])
}
