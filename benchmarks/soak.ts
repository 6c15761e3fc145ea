/**
 * The soak: a market of a given rate is recorded and shown in four charts, replayed and exported every now and then;
 * what grows or slows is seen in a table of start and end.
 */
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from '@playwright/test'
import { firstLibrary } from '../src/shared/features/workspace/library.ts'
import { readHealth } from './health-page.ts'
import { ask, type Talk } from './talk.ts'
import { VIEWPORT, withWindow } from './window.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    rate: { type: 'string', default: '2000' },
    /** Minutes between two replays with their exports. */
    every: { type: 'string', default: '60' },
    /** Minutes between two lines of figures on the way. */
    tell: { type: 'string', default: '10' },
  },
})
const minutes = Number(values.minutes)
const everyMs = Math.min(Number(values.every), minutes / 2) * 60_000
const tellMs = Number(values.tell) * 60_000
if (!(minutes > 0) || !(everyMs > 0) || !(tellMs > 0)) {
  throw new TypeError('--minutes, --every and --tell take minutes, above 0')
}

interface Figures {
  readonly rss: number
  readonly heapUsed: number
  /** Of all threads, bytes (soak-host.ts). */
  readonly heaps: { readonly committed: number; readonly external: number }
  readonly handles: number | null
  readonly received: number
  readonly stored: number
  readonly perSecond: number
  readonly receiveToStored: { readonly p50: number; readonly p99: number } | null
  readonly storeBytes: number
  readonly gapsToday: number
  /** Counts by cause and feed. */
  readonly gapCauses: Readonly<Record<string, number>>
}
interface Sample extends Figures {
  readonly painted: string
  readonly pageHeap: number
  readonly pageNodes: number
}

async function sample(host: Talk, page: Page): Promise<Sample> {
  // From the first sample on, so that each has the same panes.
  const { painted } = await readHealth(page)
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const { nodes } = await session.send('Memory.getDOMCounters')
  await session.detach()
  return { ...(await ask<Figures>(host, 'figures')), painted, pageHeap: usedSize, pageNodes: nodes }
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`
/** Figures on the way, with the machine's load: what a busy machine did to them is seen, and whether growth ends. */
function told(at: number, now: Sample): string {
  const { rss, heapUsed, heaps, pageHeap, handles, perSecond, receiveToStored, painted } = now
  const stored = receiveToStored?.p99.toFixed(1) ?? '-'
  return (
    `${(at / 60_000).toFixed(0)} min: memory ${mb(rss)}, heap ${mb(heapUsed)}, ` +
    `all threads ${mb(heaps.committed)} and ${mb(heaps.external)} outside, page ${mb(pageHeap)}, ` +
    `${handles ?? '?'} files, ${perSecond.toFixed(0)} messages/s, stored p99 ${stored} ms, painted p99 ${painted}, ` +
    `load ${loadavg()[0]?.toFixed(1) ?? '?'}`
  )
}

function table(start: Sample, last: Sample): string {
  const rows: readonly (readonly [string, (one: Sample) => string])[] = [
    ['memory of the terminal', ({ rss }) => mb(rss)],
    ['heap of the terminal', ({ heapUsed }) => mb(heapUsed)],
    ['heaps of all its threads, as taken', ({ heaps }) => mb(heaps.committed)],
    ['held by them outside', ({ heaps }) => mb(heaps.external)],
    ['heap of the page', ({ pageHeap }) => mb(pageHeap)],
    ['nodes of the page', ({ pageNodes }) => String(pageNodes)],
    ['open files and sockets', ({ handles }) => String(handles ?? 'not told')],
    ['messages a second', ({ perSecond }) => perSecond.toFixed(0)],
    ['received to stored, p50', ({ receiveToStored }) => `${receiveToStored?.p50.toFixed(1) ?? '-'} ms`],
    ['received to stored, p99', ({ receiveToStored }) => `${receiveToStored?.p99.toFixed(1) ?? '-'} ms`],
    ['received to painted, p99', ({ painted }) => painted],
    ['messages received', ({ received }) => String(received)],
    ['of them not stored yet', ({ received, stored }) => String(received - stored)],
    ['store', ({ storeBytes }) => mb(storeBytes)],
    ['gaps', ({ gapsToday }) => String(gapsToday)],
  ]
  const lines = rows.map(([name, of]) => `| ${name} | ${of(start)} | ${of(last)} |`)
  return ['| | start | end |', '|---|---|---|', ...lines].join('\n')
}

const settings = { help: { tourSeen: true } }
const workspaces = { ...firstLibrary(), latest: 'charts-4' }
await withWindow({ name: 'soak', rate: values.rate, settings, workspaces }, async ({ home, browser, host, url }) => {
  const page = await browser.newPage({ viewport: VIEWPORT })
  await page.goto(url)
  const charts = page.getByRole('region', { name: /^Chart of/ })
  await charts.nth(3).waitFor()
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  // Caches fill first: what is compared is the rest.
  await wait(Math.min(60_000, (minutes * 60_000) / 5))
  const first = await sample(host, page)
  const begun = performance.now()
  const until = begun + minutes * 60_000
  const waitUntil = async (then: number) => {
    while (then - performance.now() > tellMs) {
      await wait(tellMs)
      console.log(told(performance.now() - begun, await sample(host, page)))
    }
    await wait(Math.max(0, then - performance.now()))
  }
  for (let turn = 1; performance.now() < until; turn++) {
    await waitUntil(Math.min(begun + (turn - 0.1) * everyMs, until))
    const replayed = await ask(host, `replay ${Math.min(60_000, everyMs / 10)}`)
    const exported = await ask(host, `export soak-${turn}.csv`)
    console.log(`turn ${turn}: replay ${JSON.stringify(replayed)}, export ${JSON.stringify(exported)}`)
  }
  const last = await sample(host, page)
  console.log(`\n${minutes} minutes at ${values.rate} messages/s, ${await charts.count()} charts\n`)
  console.log(table(first, last))
  for (const [cause, count] of Object.entries(last.gapCauses)) console.log(`gaps: ${count} × ${cause}`)
  const log = readFileSync(join(home, 'logs', 'tapedeck.log'), 'utf8').split('\n')
  const errors = log.filter((line) => /\berror\b/.test(line.slice(0, 60)))
  console.log(`\n${errors.length} errors in the log`)
  for (const line of errors.slice(0, 5)) console.log(line)
})
