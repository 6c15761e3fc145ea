/**
 * What this machine's Chromium needs at the least: an empty page that takes messages of the same rate
 * over one WebSocket and writes one number into one cell before each paint. Timed as the window times
 * itself: stamps of the latest message of each of 150 instruments, from receipt to after the paint.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from '@playwright/test'
import { WebSocketServer } from 'ws'
import { rendererSeconds } from './cpu.ts'
import { percentile } from './row.ts'

const INSTRUMENTS = 150
const TICK_MS = 4

const PAGE = `<!doctype html><title>bare</title><b>0</b><script>
const cell = document.querySelector('b'), fresh = new Map()
window.ages = []
let asked = false
new WebSocket('ws://' + location.host).onmessage = ({ data }) => {
  const { at, ids } = JSON.parse(data)
  for (const id of ids) fresh.set(id, at)
  if (asked) return
  asked = true
  requestAnimationFrame(() => {
    asked = false
    const stamps = [...fresh.values()]
    fresh.clear()
    cell.textContent = String(at)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      const now = Date.now()
      for (const stamp of stamps) window.ages.push(now - stamp)
    }
    port2.postMessage(null)
  })
}
</script>`

export interface Bare {
  /** Receive to painted, ms. */
  readonly p99: number
  /** Seconds of processor time that its renderer took a second. */
  readonly cpu: number
}

/** Measures for `secondsLong` after two seconds of warming up. */
export async function barePage(browser: Browser, perSecond: number, secondsLong: number): Promise<Bare> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(PAGE))
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  let next = 0
  const timer = setInterval(() => {
    const ids = Array.from(
      { length: Math.round((perSecond * TICK_MS) / 1_000) },
      () => (next = (next + 1) % INSTRUMENTS),
    )
    const text = JSON.stringify({ at: Date.now(), ids })
    for (const socket of sockets.clients) socket.send(text)
  }, TICK_MS)
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  try {
    const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
    await page.goto(`http://127.0.0.1:${port}/`)
    await sleep(2_000)
    await page.evaluate('window.ages = []')
    const before = await rendererSeconds(browser)
    await sleep(secondsLong * 1_000)
    const cpu = (await rendererSeconds(browser)) - before
    const ages = await page.evaluate<number[]>('window.ages')
    if (ages.length === 0) throw new Error('the bare page painted nothing')
    return { p99: percentile(ages, 0.99), cpu: cpu / secondsLong }
  } finally {
    clearInterval(timer)
    await page.close()
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
    server.close()
  }
}
