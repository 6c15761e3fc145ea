/** The terminal of the soak behind the browser host; each line of standard input is an order, each answer a line. */
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startBrowserHost } from '../src/main/hosts/browser/host.ts'
import { store as storeService } from '../src/main/core/store/feature.ts'
import { jobs } from '../src/main/core/jobs/feature.ts'
import { replay as replayFeature } from '../src/main/features/replay/feature.ts'
import { exporting } from '../src/main/features/export/feature.ts'
import { alerts } from '../src/main/features/alerts/feature.ts'
import { openTerminal } from '../src/main/hosts/open-terminal.ts'
import type { AlertCondition } from '../src/shared/features/alerts/types.ts'
import { instrumentId } from '../src/shared/base/units.ts'
import { exportRequest } from '../tests/kit/export.ts'
import { quietDraft } from './quiet-alert.ts'

const [dataDir = '', baseUrl = '', user = '', password = ''] = process.argv.slice(2)
const built = new URL('../out/main/', import.meta.url)
const terminal = await openTerminal({
  dataDir,
  host: 'browser',
  version: 'soak',
  workers: {
    store: new URL('store-worker.js', built),
    reader: new URL('reader-worker.js', built),
    imports: new URL('import-worker.js', built),
    simulator: new URL('simulator-worker.js', built),
  },
  demoData: new URL('../resources/demo/', import.meta.url),
  memoryKeychain: true,
  source: 'service',
  account: { baseUrl, user, password },
})
const host = await startBrowserHost(terminal.handlers, {
  rendererDir: fileURLToPath(new URL('../out/renderer', import.meta.url)),
})
const tell = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
tell({ url: host.url })

/** Open files and sockets; null where the system does not tell. */
function handles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return null
  }
}

interface HeapReport {
  readonly javascriptHeap: { readonly totalCommittedMemory: number; readonly externalMemory: number }
}

/** Of all threads, bytes: what V8 took for objects, and what these hold outside of it. The rest of the memory is in C. */
function heaps(): { readonly committed: number; readonly external: number } {
  // Otherwise the report looks up the name of each peer. Its type lacks this option of Node.
  Object.assign(process.report, { excludeNetwork: true })
  // What Node documents; its type is of an object without properties.
  const report = process.report.getReport() as HeapReport & { readonly workers: readonly HeapReport[] }
  let committed = 0
  let external = 0
  for (const { javascriptHeap } of [report, ...report.workers]) {
    committed += javascriptHeap.totalCommittedMemory
    external += javascriptHeap.externalMemory
  }
  return { committed, external }
}

/** What is recorded is replayed for a while, in a view of its own, beside the live market. */
async function replay(ms: number): Promise<unknown> {
  const [session] = [...(await terminal.service(storeService).reader.sessions(true))].sort(
    (a, b) => b.startedMs - a.startedMs,
  )
  const began = performance.now()
  const { id } = await terminal.service(replayFeature).open({ sessions: [session.session], atMs: null })
  const opened = performance.now() - began
  terminal.service(replayFeature).play(id, true)
  await new Promise((resolve) => setTimeout(resolve, ms))
  await terminal.service(replayFeature).close(id)
  return { openedMs: Math.round(opened) }
}

async function exportAll(name: string): Promise<unknown> {
  const began = performance.now()
  const [session] = [...(await terminal.service(storeService).reader.sessions(true))].sort(
    (a, b) => b.startedMs - a.startedMs,
  )
  const job = await terminal.service(exporting).start({
    request: exportRequest({ sessions: [session.session] }),
    folder: dataDir,
    name,
    replace: true,
  })
  for (;;) {
    const found = terminal
      .service(jobs)
      .streams.open(() => {})
      .take()
      ?.find(({ id }) => id === job)
    if (found !== undefined && found.outcome.is !== 'running') {
      return { outcome: found.outcome.is, rows: found.count, tookMs: Math.round(performance.now() - began) }
    }
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/** So many alerts, in turn on each instrument of the watchlists: half of them far away, half crossed now and then. */
async function watch(count: number): Promise<unknown> {
  const list = terminal.settings().watchlists.flatMap(({ symbols }) => symbols)
  for (let i = 0; i < count; i++) {
    const { asset, symbol } = list[i % list.length]
    const condition: AlertCondition =
      i % 2 === 0
        ? { is: 'price', of: 'last', level: 1e6 + i, direction: 'up' }
        : { is: 'move', of: 'last', percent: 0.5, withinMs: 60_000, direction: 'either' }
    const repeat = { restMs: 60_000, backPercent: 0 }
    const draft = quietDraft(instrumentId(asset, symbol), condition, { repeat, log: true, flash: true })
    await terminal.service(alerts).save(null, draft)
  }
  return { alerts: terminal.service(alerts).list().length }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const [order = '', value = ''] = line.split(' ')
  const answer = async (): Promise<unknown> => {
    if (order === 'replay') return replay(Number(value))
    if (order === 'alerts') return watch(Number(value))
    if (order === 'export') return exportAll(value)
    const { received, stored, perSecond, receiveToStored, store, gapsToday, backlogBytes } = terminal.status()
    const { rss, heapUsed } = process.memoryUsage()
    const storeBytes = store.bytes
    const gapCauses: Record<string, number> = {}
    for (const { feed, cause } of await terminal.service(storeService).reader.gaps({})) {
      gapCauses[`${cause} ${feed}`] = (gapCauses[`${cause} ${feed}`] ?? 0) + 1
    }
    return {
      rss,
      heapUsed,
      heaps: heaps(),
      handles: handles(),
      received,
      stored,
      perSecond,
      receiveToStored,
      storeBytes,
      gapsToday,
      gapCauses,
      backlogBytes,
    }
  }
  answer().then(tell, (thrown: unknown) => tell({ failed: String(thrown) }))
})
process.once('SIGINT', () => {
  void host.close().then(async () => {
    await terminal.close()
    process.exit(0)
  })
})
