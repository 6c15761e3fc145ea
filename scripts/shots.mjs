// `npm run shots [-- --out DIR] [--only NAME] [--readme]`: pictures of every screen, popover and dialog of the built
// browser host over the demo market, dark and light, at the design size and at the smallest. --readme takes only the
// pictures of README and guide, into docs/pictures.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { findChromium, installChromium } from './lib/chromium.mjs'
import { ensureBuilt, ensureInstalled, pinnedNode, root, stop } from './lib/ensure.mjs'
import { EMPTY, FAILING, GUIDE, LIVE, LOST, REPLAY, replaying, sampled, signIn, trading } from './lib/shots-scenes.mjs'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 640 },
]
const THEMES = ['dark', 'light']
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'shots') },
    only: { type: 'string', multiple: true, default: [] },
    readme: { type: 'boolean', default: false },
  },
})

await ensureInstalled()
await ensureBuilt()
if (!installChromium()) {
  stop('No Chromium found: install it with "apt-get install chromium" or set TAPEDECK_CHROMIUM to its path.')
}
const { chromium } = await import('@playwright/test')

const scratch = mkdtempSync(join(tmpdir(), 'tapedeck-shots-'))
const children = new Set()

/** Starts a command of the command line; answers it with its first line. */
function start(home, ...args) {
  const env = { ...process.env, TAPEDECK_HOME: join(scratch, home) }
  delete env.DBUS_SESSION_BUS_ADDRESS // no keychain: nothing of this is to be kept
  const child = spawn(pinnedNode(), [join(root, 'out', 'main', 'cli.js'), ...args, '--json'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  return new Promise((done, fail) => {
    createInterface({ input: child.stdout }).once('line', (line) => done({ child, first: JSON.parse(line) }))
    child.once('exit', (code) => {
      children.delete(child)
      fail(new Error(`tapedeck ${args[0]} ended with ${code}`))
    })
  })
}
function end(child) {
  if (!children.has(child)) return Promise.resolve()
  return new Promise((done) => {
    child.once('exit', done)
    child.kill('SIGINT')
  })
}

const browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS })

async function openWindow(home, settings) {
  mkdirSync(join(scratch, home), { recursive: true })
  if (settings) writeFileSync(join(scratch, home, 'settings.json'), JSON.stringify(settings))
  const { child, first } = await start(home, 'serve')
  const page = await browser.newPage({ viewport: SIZES[0] })
  page.setDefaultTimeout(15_000)
  await page.goto(first.url)
  return { page, child }
}

async function setTheme(page, theme) {
  if ((await page.locator('html').getAttribute('data-theme')) !== theme) await page.keyboard.press('Alt+t')
  await page.locator(`html[data-theme="${theme}"]`).waitFor()
}

let failed = 0
function missed(what, error) {
  failed += 1
  console.error(`not taken: ${what}: ${error.message.split('\n').slice(0, 3).join(' ')}`)
}
async function take(page, scenes, service, themes = THEMES) {
  for (const theme of themes) {
    if (themes === THEMES) await setTheme(page, theme)
    for (const size of SIZES) {
      await page.setViewportSize(size)
      const folder = join(resolve(values.out), `${theme}-${size.width}`)
      mkdirSync(folder, { recursive: true })
      for (const { name, arrange, undo } of scenes) {
        if (values.only.length > 0 && !values.only.includes(name)) continue
        try {
          await arrange(page, service)
          await settled(page)
          await page.screenshot({ path: join(folder, `${name}.png`) })
        } catch (error) {
          missed(`${theme} ${size.width} ${name}`, error)
        }
        await page.keyboard.press('Escape')
        await undo?.(page).catch((error) => missed(`after ${name}`, error))
      }
    }
  }
}

/** Waits until what was asked for is painted: fades are over and the chart has drawn. */
async function settled(page) {
  // Notifications of earlier scenes, but not what this one may have opened.
  const toasts = page.getByRole('contentinfo').getByRole('button', { name: 'Dismiss', exact: true })
  if (values.readme) for (let count = await toasts.count(); count > 0; count--) await toasts.first().click()
  await page.mouse.move(2, 2)
  await page.evaluate(async () => {
    await document.fonts.ready
    for (let i = 0; i < 20; i++) await new Promise((next) => requestAnimationFrame(next))
  })
}

async function takeReadme() {
  const folder = join(root, 'docs', 'pictures')
  mkdirSync(folder, { recursive: true })
  const { page, child } = await openWindow('readme')
  await trading(page)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  console.log('Waiting for the sample session, so that the charts have a past …')
  await sampled(page)
  await page.getByRole('radio', { name: '1m', exact: true }).click()
  const isWanted = (name) => values.only.length === 0 || values.only.includes(name)
  for (const theme of isWanted('live') ? THEMES : []) {
    await setTheme(page, theme)
    await settled(page)
    await page.screenshot({ path: join(folder, `live-${theme}.png`) })
  }
  await setTheme(page, 'dark')
  for (const { name, arrange, undo } of GUIDE) {
    if (!isWanted(name)) continue
    try {
      await arrange(page)
      await settled(page)
      await page.screenshot({ path: join(folder, `${name}-dark.png`) })
    } catch (error) {
      missed(name, error)
    }
    await page.keyboard.press('Escape')
    await undo?.(page).catch((error) => missed(`after ${name}`, error))
  }
  await end(child)
  console.log('Took the pictures of README and guide into docs/pictures.')
}

async function takeAll() {
  const wanted = (scenes) => values.only.length === 0 || scenes.some(({ name }) => values.only.includes(name))
  const { first } = await start('service', 'simulate')
  const service = { baseUrl: first.base_url, username: first.username, password: first.password }
  if (wanted(LIVE) || wanted(LOST)) {
    const { page, child } = await openWindow('live')
    await trading(page)
    await sampled(page)
    await take(page, LIVE, service)
    // The window stays; its terminal does not. Without it the look cannot be changed, so it is taken as it is.
    await end(child)
    await take(page, LOST, service, THEMES.slice(-1))
    await page.close()
  }
  if (wanted(EMPTY)) {
    const watchlists = [{ id: 'empty', name: 'Ideas', symbols: [], sort: null }]
    const { page, child } = await openWindow('empty', {
      watchlists,
      workspace: { activeWatchlist: 'empty' },
      recording: { allWatchlists: false },
    })
    await take(page, EMPTY, service)
    await page.close()
    await end(child)
  }
  if (wanted(REPLAY)) {
    console.log('Recording for a minute and a half, so that there is something to replay …')
    const feeds = [
      'crypto/XT:BTC-USD,ETH-USD,SOL-USD',
      'crypto/XQ:BTC-USD,ETH-USD,SOL-USD',
      'forex/C:EURUSD',
      'stocks/T:AAPL',
    ]
    await start('replay', 'record', '--demo', ...feeds.flatMap((feed) => ['--feed', feed]), '--duration', '90s')
    const { page, child } = await openWindow('replay')
    await trading(page)
    await replaying(page)
    await take(page, REPLAY, service)
    await page.close()
    await end(child)
  }
  if (wanted(FAILING)) {
    const other = await start('gone', 'simulate')
    const { base_url: baseUrl, username, password } = other.first
    const { page, child } = await openWindow('failing')
    await trading(page)
    await signIn(page, { baseUrl, username, password })
    await trading(page)
    await end(other.child)
    await take(page, FAILING, service)
    await page.close()
    await end(child)
  }
  console.log(`Pictures are in ${resolve(values.out)}.`)
}

try {
  await (values.readme ? takeReadme() : takeAll())
} finally {
  await browser.close()
  await Promise.all([...children].map(end))
  rmSync(scratch, { recursive: true, force: true })
}
if (failed > 0) process.exitCode = 1
