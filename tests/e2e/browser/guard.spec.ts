/** Who may look at the terminal in a browser: the tab that was opened by its address, and nobody else. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SOCKET_PATH } from '../../../src/shared/rpc/handshake.ts'
import { expect, test } from '../fixtures.ts'
import { Screen } from '../screen.ts'

test('a page of another origin gets nothing', async ({ open }) => {
  const { page } = await open()
  await new Screen(page).trades('BTC-USD')
  const host = new URL(page.url()).host
  const foreign = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>Elsewhere</title>')
  })
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = foreign.address() as AddressInfo // a listening TCP server has one
    const other = await page.context().newPage()
    await other.goto(`http://127.0.0.1:${port}/`)
    const outcome = await other.evaluate(
      async ({ target, path }) => {
        const socket = await new Promise<string>((resolve) => {
          const ws = new WebSocket(`ws://${target}${path}`)
          ws.onopen = () => resolve('open')
          ws.onerror = () => resolve('refused')
        })
        const read = await fetch(`http://${target}/`).then(
          () => 'read',
          () => 'refused',
        )
        const frame = document.createElement('iframe')
        frame.src = `http://${target}/`
        document.body.append(frame)
        await new Promise((resolve) => (frame.onload = resolve))
        let inside: string
        try {
          inside = frame.contentDocument === null ? 'refused' : 'reached'
        } catch {
          inside = 'refused'
        }
        return { socket, read, inside }
      },
      { target: host, path: SOCKET_PATH },
    )
    expect(outcome).toEqual({ socket: 'refused', read: 'refused', inside: 'refused' })
    // The page inside of the frame did not load either: nobody may frame the terminal.
    await expect(other.frameLocator('iframe').getByRole('banner')).toHaveCount(0)
    await other.close()
  } finally {
    await new Promise((resolve) => foreign.close(resolve))
  }
})

test('a second tab without a key is turned away with a sentence, and the first lives on', async ({ open }) => {
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  const stranger = await page.context().newPage()
  await stranger.goto(new URL('/', page.url()).href)
  await expect(
    stranger.getByRole('alert').filter({ hasText: 'opened from an address that Tapedeck printed' }).first(),
  ).toContainText('Press Enter')
  await stranger.close()
  await screen.ticks('BTC-USD')
})

test('a reload keeps the session, and the address holds no secret', async ({ open }) => {
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  expect(new URL(page.url()).hash).toBe('')
  await page.reload()
  await screen.trades('BTC-USD')
  await screen.ticks('BTC-USD')
  expect(await page.context().cookies()).toEqual([])
  expect(await page.evaluate(() => localStorage.length)).toBe(0)
})

test('nothing is asked of any other host', async ({ open }) => {
  const { page } = await open()
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).host))
  await page.reload()
  await new Screen(page).trades('BTC-USD')
  expect([...hosts]).toEqual([new URL(page.url()).host])
})
