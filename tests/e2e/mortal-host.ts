/** The browser host on the demo market, with a store's thread that dies at each line of standard input. */
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { BroadcastChannel } from 'node:worker_threads'
import { startBrowserHost } from '../../src/main/hosts/browser/host.ts'
import { openTerminal } from '../../src/main/hosts/open-terminal.ts'

const root = new URL('../../', import.meta.url)
const terminal = await openTerminal({
  dataDir: process.argv[2] ?? '',
  host: 'browser',
  version: '0.0.0',
  workers: {
    store: new URL('mortal-store-worker.ts', import.meta.url),
    reader: new URL('src/main/reader-worker.ts', root),
    imports: new URL('src/main/import-worker.ts', root),
    simulator: new URL('src/simulator/worker.ts', root),
  },
  demoData: new URL('resources/demo/', root),
  memoryKeychain: true,
  source: 'demo',
})
const host = await startBrowserHost(terminal.handlers, {
  rendererDir: fileURLToPath(new URL('out/renderer', root)),
})
process.stdout.write(`${JSON.stringify({ url: host.url })}\n`)
const orders = new BroadcastChannel('tapedeck test: the store dies')
createInterface({ input: process.stdin }).on('line', () => orders.postMessage('now'))
process.once('SIGINT', () => {
  void host.close().then(async () => {
    await terminal.close()
    process.exit(0)
  })
})
