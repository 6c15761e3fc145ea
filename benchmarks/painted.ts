/**
 * Receive → painted as the window itself measures it, and its longest main-thread task, under 10,000
 * messages a second of 150 instruments: the built browser host in headless Chromium, with a watchlist, four
 * charts, a quote and a tape. Without a GPU Chromium paints by the same cores that everything else runs on: a bare page says
 * what is left of the goal there.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from '@playwright/test'
import { ASSET_CLASSES, type AssetClass } from '../src/shared/base/units.ts'
import { firstLibrary } from '../src/shared/features/workspace/library.ts'
import { readyWorkspace } from '../src/shared/features/workspace/ready.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { barePage, type Bare } from './bare-page.ts'
import { rendererSeconds } from './cpu.ts'
import { msIn, readHealth } from './health-page.ts'
import { row, type Row } from './row.ts'
import { machineOf } from '../scripts/lib/report.mjs'
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

/** The window's percentiles are of its last minute: after that the start is forgotten. */
const FORGOTTEN_MS = 62_000
const forgetsStart = (secondsLong: number): boolean => secondsLong >= 20

/** Of the watchlist, so that they ask for nothing more. */
const CHARTS = ['crypto:TAAUSD', 'forex:TAAUSD', 'stocks:TAA', 'crypto:TABUSD'] as const

/**
 * Runs of twenty seconds and more wait until the percentiles hold nothing of the page's start; shorter ones say that
 * they include it. Answers no rows, and says why, where there is no Chromium or no build.
 */
export async function benchPainted(secondsLong: number): Promise<readonly Row[]> {
  const executablePath = process.env.TAPEDECK_CHROMIUM || '/usr/bin/chromium'
  const missing = [executablePath, CLI].find((path) => !existsSync(path))
  if (missing !== undefined) {
    if (machineOf().ci) throw new Error(`there is no ${missing}`)
    console.error(`skipped: there is no ${missing}`)
    return []
  }
  const { p99, longest, perSecond, cpu, bare } = await inFolder((folder) =>
    measure(folder, executablePath, secondsLong),
  )
  const start = forgetsStart(secondsLong) ? '' : ', page start included'
  return [
    row({
      name: `receive → painted, p99 at ${Math.round(perSecond).toLocaleString('en')} messages/s, ${CHARTS.length} charts, 150 instruments${start}`,
      unit: 'ms',
      ours: p99,
      peer: bare.p99,
      peerName: 'a bare page of one changing cell',
      goal: { is: 'at most', ratio: 3 },
    }),
    row({
      name: `the same${start}, beside a frame of a screen with a GPU`,
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
    row({
      name: 'processor time of the window, all panes changing',
      unit: '% of a core',
      ours: cpu * 100,
      peer: bare.cpu * 100,
      peerName: 'a bare page of one changing cell',
      goal: null,
    }),
  ]
}

interface Figures {
  readonly p99: number
  readonly longest: number
  readonly perSecond: number
  /** Seconds of processor time that its renderer took a second. */
  readonly cpu: number
  readonly bare: Bare
}

async function measure(folder: string, executablePath: string, secondsLong: number): Promise<Figures> {
  const service = fork(fileURLToPath(import.meta.url), [], { execArgv: [] })
  const [told] = (await once(service, 'message')) as [Service] // the child sends nothing else
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings()))
  await writeFile(join(folder, 'workspaces.json'), JSON.stringify(workspaces()))
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
      await page
        .getByRole('region', { name: /^Chart of/ })
        .nth(CHARTS.length - 1)
        .waitFor()
      // A tape of a symbol that isn't subscribed would cost nothing.
      await page.getByRole('table', { name: 'Prints, newest first' }).waitFor()
      await sleep(WARM_UP_MS)
      await page.evaluate('window.__longest = 0')
      const before = await rendererSeconds(browser)
      await sleep(secondsLong * 1_000)
      const figures = {
        cpu: ((await rendererSeconds(browser)) - before) / secondsLong,
        longest: Number(await page.evaluate('window.__longest')), // set by the script above
      }
      if (forgetsStart(secondsLong)) await sleep(FORGOTTEN_MS - secondsLong * 1_000)
      const { perSecond, painted } = await readHealth(page)
      if (!(perSecond > RATE / 4)) throw new Error(`only ${perSecond} messages/s came to the window`)
      await page.close()
      // The recorder and the service go on beside it: both pages have the same machine.
      return { ...figures, perSecond, p99: msIn(painted), bare: await barePage(browser, RATE, secondsLong) }
    } finally {
      await browser.close()
    }
  } finally {
    host.kill('SIGINT')
    await once(host, 'exit')
    service.kill()
  }
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
    workspace: { activeWatchlist: 'load' },
    help: { tourSeen: true },
  }
}

/** The ready workspace of four charts with these instruments, beside a watchlist, a quote and a tape. */
function workspaces() {
  const four = readyWorkspace('charts-4', 'bench')
  const beside = readyWorkspace('overview').panes.filter(({ kind }) => ['watchlist', 'quote', 'tape'].includes(kind))
  const sizes: Readonly<Record<string, number>> = { watchlist: 400, quote: 200, tape: 236 }
  const groups = beside.map(({ id, kind }) => ({ is: 'group', panes: [id], front: id, size: sizes[kind] }) as const)
  const left = { is: 'split', axis: 'column', size: 280, parts: groups } as const
  const charts = four.panes.map((pane, at) => ({ ...pane, instrument: CHARTS[at] }))
  // Not linked: the ready workspace shows a symbol that isn't in the watchlist.
  const followed = beside.map((pane) => ({ ...pane, link: null, instrument: CHARTS[0] }))
  const one = {
    ...four,
    dock: { is: 'split', axis: 'row', size: 0, parts: [left, { ...four.dock, size: 1_160 }] },
    panes: [...followed, ...charts],
  }
  return { ...firstLibrary(), workspaces: [...firstLibrary().workspaces, one], latest: one.id }
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
