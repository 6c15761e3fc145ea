/** The packed program itself, reading its own app.asar: it shows prices, records, and ends as documented. */
import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import type { Page, Response } from '@playwright/test'
import { appEnv, ended, runCli, watch } from '../app.ts'
import { expect, test } from '../fixtures.ts'
import { openPackedWindow, spawnPacked } from '../packed.ts'
import { Screen } from '../screen.ts'

/** Windows has no signals that a program can answer, and a Mac keeps a program without a window running. */
const WAYS_TO_END: Readonly<Record<string, (child: ChildProcess, page: Page) => unknown>> = {
  ...(process.platform === 'win32'
    ? {}
    : { SIGTERM: (child) => child.kill('SIGTERM'), 'Ctrl+C': (child) => child.kill('SIGINT') }),
  ...(process.platform === 'darwin' ? {} : { 'closing its window': (_child, page) => page.close() }),
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Collects what a program prints until it ends. */
async function output(child: ChildProcess): Promise<Ended> {
  const texts = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (texts.out += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (texts.err += text))
  await once(child, 'close')
  return { code: child.exitCode, ...texts }
}
const commandLine = (home: string, ...args: readonly string[]): Promise<Ended> =>
  output(spawnPacked(args, home, appEnv(home)))

interface StoredSession {
  readonly clean: boolean
  readonly messages: number
}
const sessionsOf = ({ out }: Pick<Ended, 'out'>): StoredSession[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StoredSession) // the contract of the command line

/** The store verifies, and its one session was closed and holds messages. */
async function expectClosedRecording(home: string): Promise<void> {
  const verified = await commandLine(home, 'verify', '--json')
  expect(verified.code, verified.err).toBe(0)
  expect(JSON.parse(verified.out)).toMatchObject({ ok: true, problems: [] })
  const sessions = sessionsOf(await commandLine(home, 'sessions', '--json'))
  expect(sessions.map(({ clean }) => clean)).toEqual([true])
  expect(sessions[0]?.messages).toBeGreaterThan(0)
}

for (const [way, end] of Object.entries(WAYS_TO_END)) {
  test(`its window shows prices, and ${way} closes the recording`, async ({ home }) => {
    const { child, page, disconnect } = await openPackedWindow(home, appEnv(home), ['--no-sample'])
    try {
      const screen = new Screen(page)
      await screen.trades('BTC-USD')
      // From here on everything the page loads and says is seen from its beginning.
      const problems = watch(page)
      const responses: Response[] = []
      page.on('response', (response) => responses.push(response))
      await page.reload()
      for (const symbol of ['BTC-USD', 'ETH-USD', 'EURUSD', 'AAPL']) await screen.trades(symbol)
      await screen.ticks('BTC-USD')
      await expect(screen.recorder()).toHaveAccessibleName(/^Recording/)
      expect(responses.length).toBeGreaterThan(3)
      expect(responses.filter((one) => one.status() !== 200).map((one) => `${one.status()} ${one.url()}`)).toEqual([])
      expect(problems).toEqual([])
      await end(child, page)
      await ended(child, 'the packed program')
      expect(child.exitCode).toBe(0)
    } finally {
      child.kill('SIGKILL')
      await disconnect()
    }
    await expectClosedRecording(home)
  })
}

const RECORD = ['record', '--demo', '--feed', 'crypto/XT:BTC-USD', '--json']

test('its command line records for a duration', async ({ home }) => {
  const { code, out, err } = await commandLine(home, ...RECORD, '--duration', '2s')
  expect(code, err).toBe(0)
  const { feeds } = JSON.parse(out) as { feeds: { received: number; stored: number }[] } // the contract
  expect(feeds[0]?.received).toBeGreaterThan(0)
  expect(feeds[0]?.stored).toBe(feeds[0]?.received)
  await expectClosedRecording(home)
})

test('its command line refuses a command that it does not have', async ({ home }) => {
  expect((await commandLine(home, 'sessions', '--nonsense')).code).toBe(2)
})

/** Exit codes as documented in docs/guide/command-line.md. */
const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 0],
] as const
for (const [signal, exitCode] of process.platform === 'win32' ? [] : SIGNALS) {
  test(`its command line closes the recording on ${signal}`, async ({ home }) => {
    const child = spawnPacked(RECORD, home, appEnv(home))
    const printed = output(child)
    // By the checkout's own command line: two of Electron's at once would share a Chromium profile.
    const messages = async () => sessionsOf(await runCli(['sessions', '--json'], home))[0]?.messages ?? 0
    await expect.poll(messages, { timeout: 60_000 }).toBeGreaterThan(0)
    child.kill(signal)
    const { code, err } = await printed
    expect(code, err).toBe(exitCode)
    await expectClosedRecording(home)
  })
}

test('it serves its window to a browser', async ({ home }) => {
  const child = spawnPacked(['serve', '--demo', '--no-sample', '--json'], home, appEnv(home))
  const printed = output(child)
  try {
    const [line] = (await once(child.stdout ?? child, 'data')) as [string]
    const answer = await fetch((JSON.parse(line) as { url: string }).url)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('<title>Tapedeck')
  } finally {
    child.kill(process.platform === 'win32' ? 'SIGKILL' : 'SIGINT')
  }
  const { code, err } = await printed
  if (process.platform !== 'win32') expect(code, err).toBe(130)
})
