/**
 * Receive → painted as the window itself measures it, and its longest main-thread task, under 10,000
 * messages a second of 150 instruments: the built browser host in headless Chromium, first-start
 * layout. Without a GPU Chromium paints by the same cores that everything else runs on.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from '@playwright/test'
import { ASSET_CLASSES, type AssetClass } from '../src/shared/units.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { row, type Row } from './row.ts'
import { inFolder } from './session.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CLI = join(ROOT, 'out', 'main', 'cli.js')
const RATE = 10_000
const FRAME_MS = 1_000 / 60
const WARM_UP_MS = 6_000

interface Service {
  readonly baseUrl: string
  readonly username: string
  readonly password: string
}

/** Answers no rows, and says why, where there is no Chromium or no build. */
export async function benchPainted(secondsLong: number): Promise<readonly Row[]> {
  const executablePath = process.env.TAPEDECK_CHROMIUM || '/usr/bin/chromium'
  const missing = [executablePath, CLI].find((path) => !existsSync(path))
  if (missing !== undefined) {
    console.error(`skipped: there is no ${missing}`)
    return []
  }
  const { p99, longest, perSecond } = await inFolder((folder) => measure(folder, executablePath, secondsLong))
  return [
    row({
      name: `receive → painted, p99 at ${Math.round(perSecond).toLocaleString('en')} messages/s, 150 instruments`,
      unit: 'ms',
      ours: p99,
      peer: FRAME_MS,
      peerName: 'one frame',
      goal: { is: 'at most', ratio: 2 },
    }),
    row({
      name: 'longest main-thread task of the window meanwhile',
      unit: 'ms',
      ours: longest,
      peer: 50,
      peerName: 'the limit of a long task',
      goal: { is: 'at most', ratio: 1 },
    }),
  ]
}

interface Figures {
  readonly p99: number
  readonly longest: number
  readonly perSecond: number
}

async function measure(folder: string, executablePath: string, secondsLong: number): Promise<Figures> {
  const service = fork(fileURLToPath(import.meta.url), [], { execArgv: [] })
  const [told] = (await once(service, 'message')) as [Service] // the child sends nothing else
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings()))
  const host = serve(folder, told)
  try {
    const url = await firstUrl(host)
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await page.addInitScript(
        `window.__longest = 0
         new PerformanceObserver((list) => {
           for (const task of list.getEntries()) window.__longest = Math.max(window.__longest, task.duration)
         }).observe({ type: 'longtask' })`,
      )
      await page.goto(url)
      await sleep(WARM_UP_MS)
      await page.evaluate('window.__longest = 0')
      await sleep(secondsLong * 1_000)
      const figures = {
        p99: await shown(page, '.chip.latency b'),
        longest: Number(await page.evaluate('window.__longest')), // set by the script above
        perSecond: await shown(page, '.rate'),
      }
      if (!(figures.perSecond > RATE / 4)) throw new Error(`only ${figures.perSecond} messages/s came to the window`)
      return figures
    } finally {
      await browser.close()
    }
  } finally {
    host.kill('SIGINT')
    await once(host, 'exit')
    service.kill()
  }
}

/** The number that an element shows: "1,234/s", "17 ms". */
async function shown(page: Page, selector: string): Promise<number> {
  const text = (await page.locator(selector).first().textContent()) ?? ''
  const number = Number(/[\d,.]+/.exec(text)?.[0].replaceAll(',', ''))
  if (Number.isNaN(number)) throw new Error(`${selector} shows "${text}"`)
  return /\ds\b| s\b/.test(text) && !text.includes('/s') ? number * 1_000 : number
}

function serve(home: string, { baseUrl, username, password }: Service): ChildProcess {
  const args = ['serve', '--json', '--base-url', baseUrl, '--user', username]
  return spawn(process.execPath, [CLI, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TAPEDECK_HOME: home, TAPEDECK_PASSWORD: password },
  })
}

async function firstUrl(host: ChildProcess): Promise<string> {
  if (host.stdout === null) throw new Error('the host has no output')
  const lines = createInterface({ input: host.stdout })
  const [line] = (await once(lines, 'line')) as [string] // what readline gives
  return (JSON.parse(line) as { readonly url: string }).url // the command line's contract
}

/** A watchlist of fifty instruments of each asset class. */
function settings() {
  const name = (asset: AssetClass, i: number): string => {
    const letters = String.fromCharCode(65 + Math.floor(i / 26), 65 + (i % 26))
    return asset === 'crypto' ? `T${letters}-USD` : asset === 'forex' ? `T${letters}USD` : `T${letters}`
  }
  const symbols = ASSET_CLASSES.flatMap((asset) =>
    Array.from({ length: 50 }, (_, i) => ({ asset, symbol: name(asset, i) })),
  )
  return {
    version: 1,
    watchlists: [{ id: 'load', name: 'Load', symbols }],
    workspace: { activeWatchlist: 'load', instrument: 'crypto:TAAUSD' },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.send === undefined) console.log(await benchPainted(Number(process.argv[2] ?? 15)))
  else {
    const { baseUrl, username, password } = await startSimulator({
      dataDir: new URL('../resources/demo/', import.meta.url),
      market: { kind: 'load', messagesPerSecond: RATE },
    })
    process.once('disconnect', () => process.exit(0))
    process.send({ baseUrl, username, password } satisfies Service)
  }
}
