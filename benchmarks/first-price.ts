/**
 * From the start of the program to the first price on the screen, beside the start of a program whose window is empty: in
 * Electron where there is one, and in the browser host, where Chromium runs already. It is a second start with the demo
 * market, as on every day but the first.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { _electron, chromium, type Browser, type Page } from '@playwright/test'
import { findElectron } from '../scripts/lib/electron.mjs'
import { median, row, type Row } from './row.ts'
import { inFolder } from './session.ts'

const ROOT = join(import.meta.dirname, '..')
const CLI = join(ROOT, 'out', 'main', 'cli.js')
/**
 * A window of Chromium 156 loads two pages of its own in the background for its address bar, about a second of processor
 * time that says nothing about ours. The flag replaces Playwright's, of which only PaintHolding could matter here.
 */
const QUIET_WINDOWS = '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,PaintHolding'
/** A server that answers everything with an empty page, and tells its address. */
const EMPTY_SERVER = `
  const server = require('node:http').createServer((_, answer) => answer.end('<!doctype html><p>empty</p>'))
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port })))`
/** An Electron program with an empty window. */
const EMPTY_PROGRAM = `
  const { app, BrowserWindow } = require('electron')
  app.whenReady().then(() => new BrowserWindow().loadURL('data:text/html,<p>empty</p>'))`

/** Medians of `times` starts each, ours and the empty one by turns. */
export async function benchFirstPrice(times: number): Promise<readonly Row[]> {
  return inFolder(async (home) => {
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'settings.json'), JSON.stringify({ version: 1, help: { tourSeen: true } }))
    const rows = [await inBrowser(home, times)]
    if (findElectron() !== undefined) rows.push(await inElectron(home, times))
    return rows
  })
}

async function inBrowser(home: string, times: number): Promise<Row> {
  const executablePath = process.env.TAPEDECK_CHROMIUM || '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', QUIET_WINDOWS] })
  try {
    const ours = () => hosted(browser, [CLI, 'serve', '--json', '--no-sample'], home, firstPrice)
    const empty = () => hosted(browser, ['-e', EMPTY_SERVER], home, firstFrame)
    // Only the second start counts: the first makes the store, and fills the compile cache.
    await ours()
    const figures = await turns(times, ours, empty)
    return rowOf('browser host', 'a bare server of an empty page', figures, null)
  } finally {
    await browser.close()
  }
}

async function inElectron(home: string, times: number): Promise<Row> {
  const program = join(home, 'empty')
  await mkdir(program)
  await writeFile(join(program, 'package.json'), JSON.stringify({ name: 'empty', main: 'main.js' }))
  await writeFile(join(program, 'main.js'), EMPTY_PROGRAM)
  const ours = () => launched(['.', '--no-sample'], home, firstPrice)
  const empty = () => launched([program], home, firstFrame)
  await ours()
  const figures = await turns(times, ours, empty)
  return rowOf('Electron', 'an Electron program with an empty window', figures, { is: 'at most', ratio: 2 })
}

interface Figures {
  readonly ours: number
  readonly empty: number
}

function rowOf(host: string, peerName: string, { ours, empty }: Figures, goal: Row['goal']): Row {
  return row({ name: `start to first price, ${host}`, unit: 'ms', ours, peer: empty, peerName, goal })
}

async function turns(times: number, ours: () => Promise<number>, empty: () => Promise<number>): Promise<Figures> {
  const took: { readonly ours: number[]; readonly empty: number[] } = { ours: [], empty: [] }
  for (let i = 0; i < times; i++) {
    took.ours.push(await ours())
    took.empty.push(await empty())
  }
  return { ours: median(took.ours), empty: median(took.empty) }
}

/** Resolves when the window shows a price. */
async function firstPrice(page: Page): Promise<void> {
  await page.getByTestId('big-price').filter({ hasText: /\d/ }).waitFor()
}

/** Resolves when the page was painted. */
async function firstFrame(page: Page): Promise<void> {
  await page.locator('p').waitFor()
}

/** Milliseconds from starting a server, which prints its address, until `seen` resolves in a new window. */
async function hosted(
  browser: Browser,
  args: readonly string[],
  home: string,
  seen: (page: Page) => Promise<void>,
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const from = performance.now()
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'], env: envOf(home) })
  try {
    const [page, url] = await Promise.all([context.newPage(), firstUrl(child)])
    await page.goto(url)
    await seen(page)
    return performance.now() - from
  } finally {
    await context.close()
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGINT')
      await ended
    }
  }
}

function envOf(home: string): Record<string, string> {
  const own = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  // Chromium in place of Electron's own needs this very Node, and finds it by name.
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter)
  return { ...Object.fromEntries(own), PATH: path, TAPEDECK_HOME: home }
}

/** The address that a server prints. Rejects if it exits before. */
async function firstUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the server has no output')
  const exited = once(child, 'exit').then(() => {
    throw new Error(`the server printed no address: it exited with ${child.exitCode ?? child.signalCode}`)
  })
  const printed = once(createInterface({ input: child.stdout }), 'line')
  const [line] = (await Promise.race([printed, exited])) as [string] // what readline gives
  return (JSON.parse(line) as { readonly url: string }).url // both servers print it
}

/** Milliseconds from starting Electron with `args` until `seen` resolves in its first window. */
async function launched(args: readonly string[], home: string, seen: (page: Page) => Promise<void>): Promise<number> {
  const from = performance.now()
  const electron = await _electron.launch({ args: [...args], cwd: ROOT, env: envOf(home) })
  try {
    const page = await electron.firstWindow()
    await seen(page)
    return performance.now() - from
  } finally {
    await electron.close()
  }
}

if (process.argv[1] === import.meta.filename) console.log(await benchFirstPrice(Number(process.argv[2] ?? 5)))
