/** A real terminal in memory: every feature, a store in this thread, a simulator on loopback, a clock that stands still. */
import { openTerminal, type Terminal } from '../../src/main/hosts/open-terminal.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'
import { manualClock } from './clock.ts'
import { quoteOf, tradeOf } from './market.ts'
import { START_MS, type TerminalControls, type TerminalOptions } from './terminal-messages.ts'

const root = new URL('../../', import.meta.url)

/** Feeds collect subscriptions for a moment before they connect; at least that, ms. */
const COLLECT_MS = 100

export interface MemoryTerminal {
  readonly terminal: Terminal
  readonly controls: TerminalControls
  close(): Promise<void>
}

/** Waits for a condition that I/O brings about, turn by turn of the event loop. */
async function until(holds: () => boolean, what: string): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`Waited in vain: ${what}.`)), 10_000)
  try {
    while (!holds()) await Promise.race([late, new Promise((resolve) => setImmediate(resolve))])
  } finally {
    clearTimeout(timer)
  }
}

/** Starts a terminal on the demo source, with its data in `dataDir`. Resolves once its feeds are open. */
export async function startMemoryTerminal(dataDir: string, options: TerminalOptions = {}): Promise<MemoryTerminal> {
  const { startMs = START_MS, settings, record, feeds = true } = options
  const clock = manualClock(startMs)
  const demoData = new URL('resources/demo/', root)
  const simulator = await startSimulator({ dataDir: demoData, market: { kind: 'none' }, clock, turnMs: 1e9 })
  const { baseUrl, username, password, apiKey } = simulator
  const terminal = await openTerminal({
    dataDir,
    host: 'test',
    version: '0.1.0',
    workers: {
      store: undefined,
      reader: undefined,
      imports: undefined,
      simulator: new URL('src/simulator/worker.ts', root),
    },
    demoData,
    clock,
    memoryKeychain: true,
    startDemo: async () => ({ account: { baseUrl, user: username, password, apiKey }, close: async () => undefined }),
    record,
    wantWatchlists: feeds,
  })
  const feedsSettled = (): boolean =>
    terminal.status().feeds.every(({ state: { is } }) => is === 'open' || is === 'stale' || is === 'idle')
  const retryAt = (): number | null =>
    terminal
      .status()
      .feeds.flatMap(({ state }) => (state.is === 'waiting' ? [state.untilMs] : []))
      .at(0) ?? null
  const reconnect = async (): Promise<void> => {
    for (let at = retryAt(); at !== null; at = retryAt()) {
      await clock.pass(Math.ceil(at - clock.wallMs()))
      await until(() => feedsSettled() || retryAt() !== null, 'open feeds')
    }
  }
  const controls: TerminalControls = {
    async send(messages) {
      const before = terminal.status().received
      let sent = 0
      for (const { feed, symbol, raw } of messages) {
        const listeners = simulator.send(feed, symbol, raw)
        if (listeners === 0) throw new Error(`Nobody subscribed to ${symbol} on ${feed}.`)
        sent += listeners
      }
      await until(() => terminal.status().received >= before + sent, 'a message that was sent')
    },
    async want(feed, symbols) {
      terminal.want(feed, symbols)
      await clock.pass(COLLECT_MS)
      await Promise.all(symbols.map((symbol) => simulator.subscribed(feed, symbol)))
    },
    pass: (ms) => clock.pass(ms),
    async fault(name, params) {
      simulator.fault(name, params)
    },
    async recordSession() {
      for (let i = 0; i < 20; i++) {
        const atMs = clock.wallMs()
        await controls.send([tradeOf('BTC-USD', 100 + i, 1, atMs), quoteOf('BTC-USD', 99 + i, 101 + i, atMs)])
        if (i === 10) {
          simulator.fault('drop', { feed: 'crypto/XQ' })
          await until(() => retryAt() !== null, 'a lost connection')
          await reconnect()
        }
        await clock.pass(6_000)
      }
      await terminal.setRecording(false)
      await terminal.setRecording(true)
    },
    setSettings: async (patch) => void (await terminal.setSettings(patch)),
    log: async (...line) => terminal.log(...line),
  }
  if (settings !== undefined) await terminal.setSettings(settings)
  if (feeds) {
    await clock.pass(COLLECT_MS)
    await until(feedsSettled, 'open feeds')
  }
  return {
    terminal,
    controls,
    async close() {
      await terminal.close()
      await simulator.close()
    },
  }
}
