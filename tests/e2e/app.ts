/** Starts the built app as a user would, in either host, and ends what it started. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { _electron, chromium, type Browser, type ElectronApplication, type Page } from '@playwright/test'
import { ADDRESS_BAR_PAGES, CHROMIUM_FLAGS } from './chromium-flags.ts'
import { openPackedWindow, spawnPacked } from './packed.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const CLI = join(ROOT, 'out', 'main', 'cli.js')
/** Whether the app under test is the packed program rather than the built checkout. */
const PACKED = process.env.TAPEDECK_PACKED === '1'

export type HostName = 'browser' | 'electron'

export interface OpenOptions {
  /** TAPEDECK_HOME of the app. */
  readonly home: string
  /** Further arguments of `tapedeck serve`, or of the app in Electron. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly size?: { readonly width: number; readonly height: number }
  /** The app adds the sample session to a new home; it doesn't unless set, so that a test knows what is stored. */
  readonly sample?: boolean
  /** IANA zone and BCP 47 language of the system, in the browser host; UTC and American English unless told. */
  readonly zone?: string
  readonly locale?: string
}

export interface OpenApp {
  readonly page: Page
  /** Null in the browser host. */
  readonly electron: ElectronApplication | null
  /** The process of the terminal. */
  readonly pid: number
  /** Errors of the page's console (violations of the content security policy among them) and its uncaught exceptions. */
  readonly problems: string[]
  /** Quits as a user does; resolves when the process has ended. Doing it twice is fine. */
  close(): Promise<void>
  /** Ends the process as a power cut would. */
  kill(): Promise<void>
}

const START_MS = 30_000
/** A host that has not ended by then has failed to. */
const END_MS = 20_000

/** The Node that the app is pinned to. */
export function pinnedNode(): string {
  const pinned = join(ROOT, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  return existsSync(pinned) ? pinned : process.execPath
}

/** Environment of a started process: nothing of the user's own Tapedeck, and no keychain unless one was set up. */
export function appEnv(home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value === undefined || name.startsWith('TAPEDECK_')) continue
    // The session bus leads to the keychain of whoever runs the tests.
    if (name === 'DBUS_SESSION_BUS_ADDRESS' && !process.env.TAPEDECK_EXPECT_KEYCHAIN) continue
    env[name] = value
  }
  const path = `${join(ROOT, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`
  // Stories start the program hundreds of times: Node reads and compiles its modules once for all.
  const compiled = join(ROOT, 'node_modules', '.cache', 'compiled')
  // A first start takes the system's zone and language: the tests' are those of the texts they look for.
  return {
    ...env,
    PATH: path,
    NODE_COMPILE_CACHE: compiled,
    TZ: 'UTC',
    LANG: 'en_US.UTF-8',
    TAPEDECK_HOME: home,
    ...more,
  }
}

/** Settles when a process has ended; kills it and rejects when it has not in time. */
export async function ended(child: ChildProcess, what: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${what} did not end within ${END_MS / 1000} s`))
    }, END_MS)
  })
  try {
    await Promise.race([once(child, 'exit'), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Starts a command of the command line with `--json`; answers the process and its first line, parsed. */
export function startCli<T>(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ child: ChildProcess; first: T }> {
  return firstLine(
    args,
    spawn(pinnedNode(), [CLI, ...args, '--json'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
}

/** The first line that a command prints, parsed. Rejects when it ends before that, or is late. */
async function firstLine<T>(args: readonly string[], child: ChildProcess): Promise<{ child: ChildProcess; first: T }> {
  if (!child.stdout || !child.stderr) throw new Error('its output is not a pipe')
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const lines = createInterface({ input: child.stdout })
  let timer: NodeJS.Timeout | undefined
  try {
    const line = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`tapedeck ${args[0]} ended with ${code}: ${said}`)))
      timer = setTimeout(() => reject(new Error(`tapedeck ${args[0]} said nothing: ${said}`)), START_MS)
    })
    // The first line of these commands is one JSON object of the shape that the command line's contract names.
    return { child, first: JSON.parse(line) as T }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Runs a command of the command line to its end. */
export async function runCli(
  args: readonly string[],
  home: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(pinnedNode(), [CLI, ...args], { cwd: ROOT, env: appEnv(home), stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text))
  await once(child, 'close')
  return { code: child.exitCode, ...texts }
}

/** Whichever way of ending comes first counts; later ones wait for it. */
function endings(close: () => Promise<void>, kill: () => Promise<void>): Pick<OpenApp, 'close' | 'kill'> {
  let ending: Promise<void> | undefined
  return { close: () => (ending ??= close()), kill: () => (ending ??= kill()) }
}

/** Collects what a page should never say. */
export function watch(page: Page): string[] {
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || /content security policy/i.test(message.text())) {
      problems.push(`${message.text()} (${message.location().url})`)
    }
  })
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
  return problems
}

let shared: Promise<Browser> | undefined

/** The Chromium of this worker, which ends with it: starting one for each test takes longer than some tests. */
function sharedBrowser(): Promise<Browser> {
  const executablePath = process.env.TAPEDECK_CHROMIUM || '/usr/bin/chromium'
  shared ??= chromium.launch({ executablePath, args: CHROMIUM_FLAGS }).then((browser) =>
    // After a crash of Chromium, the next test starts another.
    browser.on('disconnected', () => (shared = undefined)),
  )
  return shared
}

async function openInBrowserHost({
  home,
  args = [],
  env,
  size,
  sample = false,
  zone = 'UTC',
  locale = 'en-US',
}: OpenOptions): Promise<OpenApp> {
  const serve = ['serve', ...(sample ? [] : ['--no-sample']), ...args]
  const { child, first } = PACKED
    ? await firstLine<{ url: string }>(serve, spawnPacked([...serve, '--json'], home, appEnv(home, env)))
    : await startCli<{ url: string }>(serve, appEnv(home, env))
  try {
    const browser = await sharedBrowser()
    // A context has a storage of its own, so nothing of another test is in it.
    const context = await browser.newContext({
      viewport: size ?? { width: 1440, height: 900 },
      timezoneId: zone,
      locale,
    })
    const page = await context.newPage()
    const problems = watch(page)
    await page.goto(first.url)
    return {
      page,
      electron: null,
      pid: child.pid ?? 0,
      problems,
      ...endings(
        async () => {
          await context.close()
          child.kill('SIGINT')
          await ended(child, 'the browser host')
        },
        async () => {
          child.kill('SIGKILL')
          await ended(child, 'the browser host')
          await context.close()
        },
      ),
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

async function openInElectron({ home, args = [], env, size, sample = false }: OpenOptions): Promise<OpenApp> {
  const electron = await _electron.launch({
    args: ['.', `--disable-features=${ADDRESS_BAR_PAGES.join(',')}`, ...(sample ? [] : ['--no-sample']), ...args],
    cwd: ROOT,
    env: appEnv(home, env),
    timeout: START_MS,
    // Otherwise what the window saves ends in the system's own dialog, which no test can answer.
    acceptDownloads: true,
  })
  const child = electron.process()
  try {
    const page = await electron.firstWindow({ timeout: START_MS })
    const problems = watch(page)
    if (size) await page.setViewportSize(size)
    return {
      page,
      electron,
      pid: child.pid ?? 0,
      problems,
      ...endings(
        async () => {
          await electron.close()
          await ended(child, 'the app')
        },
        async () => {
          child.kill('SIGKILL')
          await ended(child, 'the app')
        },
      ),
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

/** Opens the packed program's window. There is no `electron` to evaluate code in: its fuses don't allow it. */
async function openInPackedElectron({ home, args = [], env, size, sample = false }: OpenOptions): Promise<OpenApp> {
  const words = [...(sample ? [] : ['--no-sample']), ...args]
  const { child, page, disconnect } = await openPackedWindow(home, appEnv(home, env), words)
  try {
    const problems = watch(page)
    if (size) await page.setViewportSize(size)
    const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
      if (signal === 'SIGTERM' && process.platform === 'win32') await page.close()
      else child.kill(signal)
      await ended(child, 'the packed program')
      await disconnect()
    }
    return {
      page,
      electron: null,
      pid: child.pid ?? 0,
      problems,
      ...endings(
        () => end('SIGTERM'),
        () => end('SIGKILL'),
      ),
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

/** Opens the app in a host. The caller closes it. */
export function openApp(host: HostName, options: OpenOptions): Promise<OpenApp> {
  if (host === 'electron' && PACKED) return openInPackedElectron(options)
  return host === 'electron' ? openInElectron(options) : openInBrowserHost(options)
}
