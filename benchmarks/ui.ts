/**
 * The window as a trader has it open all day: nine charts, a watchlist of 500 rows and alerts, beside a market of a given
 * rate. Frames, long tasks and memory of its page, and then of an empty one of the same Chromium while the market goes on:
 * what is left to any page here.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, Page } from '@playwright/test'
import { ASSET_CLASSES, type AssetClass } from '../src/shared/base/units.ts'
import type { Workspace } from '../src/shared/features/workspace/document.ts'
import { firstLibrary } from '../src/shared/features/workspace/library.ts'
import { readyWorkspace } from '../src/shared/features/workspace/ready.ts'
import { rendererSeconds } from './cpu.ts'
import { readHealth } from './health-page.ts'
import { percentile } from './row.ts'
import { table } from './table.ts'
import { ask } from './talk.ts'
import { VIEWPORT, withWindow } from './window.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '2000' },
    rows: { type: 'string', default: '500' },
    alerts: { type: 'string', default: '500' },
    'order-flow': { type: 'boolean', default: false },
  },
})
const minutes = Number(values.minutes)
const rows = Number(values.rows)
if (!(minutes > 0) || !(Number(values.rate) > 0)) throw new TypeError('--minutes and --rate are above 0')
if (!(rows >= 3 && rows <= 1_500)) throw new TypeError('--rows is from 3 to 1500')
const WARM_UP_MS = Math.min(60_000, minutes * 12_000)
/** The empty page has nothing that grows. */
const EMPTY_MS = Math.min(60_000, minutes * 60_000)

/** In a page before its own scripts: every frame's time since the last, and every long task. */
const WATCH = `{
  const seen = (window.__seen = { frames: [], tasks: [] })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.tasks.push(duration)
  }).observe({ type: 'longtask' })
  let last = NaN
  const frame = (now) => {
    if (!Number.isNaN(last)) seen.frames.push(now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}`

interface Memory {
  /** Of the page's scripts after a collection, bytes. */
  readonly heap: number
  /** Of the largest renderer, bytes; null where the system does not tell. */
  readonly process: number | null
}
interface Seen {
  readonly frames: readonly number[]
  readonly tasks: readonly number[]
  readonly seconds: number
  /** Share of a core that its renderer took. */
  readonly cpu: number
  readonly start: Memory
  readonly end: Memory
}

async function memory(browser: Browser, page: Page): Promise<Memory> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  const all = await browser.newBrowserCDPSession()
  const { processInfo } = await all.send('SystemInfo.getProcessInfo')
  await all.detach()
  const kilobytes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      try {
        return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? NaN)
      } catch {
        return NaN
      }
    })
  const most = Math.max(...kilobytes)
  return { heap: usedSize, process: Number.isFinite(most) ? most * 1_024 : null }
}

/** Watches a page that carries `WATCH` for so long. */
async function watch(browser: Browser, page: Page, ms: number): Promise<Seen> {
  const start = await memory(browser, page)
  await page.evaluate('__seen.frames.length = __seen.tasks.length = 0')
  const cpu = await rendererSeconds(browser)
  const began = performance.now()
  await sleep(ms)
  const seconds = (performance.now() - began) / 1_000
  const used = (await rendererSeconds(browser)) - cpu
  const { frames, tasks } = await page.evaluate<{ frames: number[]; tasks: number[] }>('__seen')
  if (frames.length === 0) throw new Error('the page made no frame')
  return { frames, tasks, seconds, cpu: used / seconds, start, end: await memory(browser, page) }
}

const ms = (value: number): string => `${value.toFixed(1)} ms`
const mb = (bytes: number | null): string => (bytes === null ? 'not told' : `${(bytes / 1e6).toFixed(0)} MB`)
const FIGURES: readonly (readonly [string, (seen: Seen) => string])[] = [
  ['frame, p50', ({ frames }) => ms(percentile(frames, 0.5))],
  ['frame, p95', ({ frames }) => ms(percentile(frames, 0.95))],
  ['frame, p99', ({ frames }) => ms(percentile(frames, 0.99))],
  ['frame, longest', ({ frames }) => ms(Math.max(...frames))],
  ['frames a second', ({ frames, seconds }) => (frames.length / seconds).toFixed(1)],
  ['tasks over 50 ms, a minute', ({ tasks, seconds }) => ((tasks.length / seconds) * 60).toFixed(1)],
  ['longest task', ({ tasks }) => (tasks.length === 0 ? 'below 50 ms' : ms(Math.max(...tasks)))],
  ['processor time of the page', ({ cpu }) => `${(cpu * 100).toFixed(1)} % of a core`],
  ['heap of the page, start', ({ start }) => mb(start.heap)],
  ['heap of the page, end', (seen) => mb(seen.end.heap)],
  ['memory of its process, start', ({ start }) => mb(start.process)],
  ['memory of its process, end', (seen) => mb(seen.end.process)],
]

/** Nine charts and a watchlist beside them. With `--order-flow`, crypto has footprints and the others quote heat maps. */
function workspace(): Workspace {
  const nine = readyWorkspace('charts-9', 'bench')
  const flowOf = (instrument: string | null) =>
    instrument?.startsWith('crypto:') === true ? { style: 'footprint' } : { quoteMap: true }
  const charts = values['order-flow']
    ? nine.panes.map((pane) => ({ ...pane, settings: { ...pane.settings, ...flowOf(pane.instrument) } }))
    : nine.panes
  const list = readyWorkspace('overview').panes.filter(({ kind }) => kind === 'watchlist')
  const [{ id }] = list
  const group = { is: 'group', panes: [id], front: id, size: 280 } as const
  return {
    ...nine,
    dock: { is: 'split', axis: 'row', size: 0, parts: [group, { ...nine.dock, size: 1_160 }] },
    panes: [...list, ...charts],
  }
}

function settings(): unknown {
  const letters = (i: number): string => String.fromCharCode(65 + Math.floor(i / 26), 65 + (i % 26))
  const name = (asset: AssetClass, i: number): string =>
    asset === 'crypto' ? `T${letters(i)}-USD` : asset === 'forex' ? `T${letters(i)}USD` : `T${letters(i)}`
  const symbols = Array.from({ length: rows }, (_, i) => {
    const asset = ASSET_CLASSES[i % ASSET_CLASSES.length]
    return { asset, symbol: name(asset, Math.floor(i / ASSET_CLASSES.length)) }
  })
  return {
    version: 1,
    // More than 50 symbols of a feed take further connections.
    account: { allowSharding: true },
    watchlists: [{ id: 'load', name: 'Load', symbols }],
    workspace: { activeWatchlist: 'load' },
    help: { tourSeen: true },
  }
}

const bench = workspace()
const wanted = {
  name: 'ui',
  rate: values.rate,
  settings: settings(),
  workspaces: { ...firstLibrary(), workspaces: [...firstLibrary().workspaces, bench], latest: bench.id },
}
await withWindow(wanted, async ({ browser, host, url }) => {
  const { alerts, failed } = await ask<{ alerts?: number; failed?: string }>(host, `alerts ${values.alerts}`)
  if (alerts === undefined) throw new Error(failed)
  const page = await browser.newPage({ viewport: VIEWPORT })
  await page.addInitScript(WATCH)
  await page.goto(url)
  const charts = page.getByRole('region', { name: /^Chart of/ })
  await charts.nth(8).waitFor()
  // Caches fill and frames find their pace first.
  await sleep(WARM_UP_MS)
  const ours = await watch(browser, page, minutes * 60_000)
  const shown = await charts.count()
  const { painted } = await readHealth(page)
  const { perSecond } = await ask<{ perSecond: number }>(host, 'figures')
  if (!(perSecond > Number(values.rate) / 4)) throw new Error(`only ${perSecond} messages/s came to the window`)
  await page.close()
  const bare = await browser.newPage({ viewport: VIEWPORT })
  await bare.addInitScript(WATCH)
  await bare.goto('about:blank')
  await sleep(2_000)
  const empty = await watch(browser, bare, EMPTY_MS)
  const flow = values['order-flow'] ? ' (three footprints, six quote heat maps)' : ''
  const heads = `${minutes} minutes, ${perSecond.toFixed(0)} messages/s, ${shown} charts${flow}, ${rows} rows, ${alerts} alerts`
  const lines = FIGURES.map(([what, of]) => [what, of(ours), of(empty)])
  console.log(`${heads}; ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}\n`)
  console.log(table([['what', 'this window', 'an empty one'], ...lines, ['receive → painted, p99', painted, '–']]))
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const report = { date: new Date().toISOString(), heads, painted, lines }
  writeFileSync(new URL('ui.json', folder), `${JSON.stringify(report, null, 2)}\n`)
})
