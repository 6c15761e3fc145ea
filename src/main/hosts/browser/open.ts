/**
 * Opening an address in the system's browser. Every local user can read a program's arguments, and the address
 * holds a one-time token, so the browser gets the path of a page that only this user can read instead.
 */
import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeFolder } from '../../base/make-folder.ts'
import { escapeHtml } from '../../base/redaction.ts'

function opener(target: string): readonly [string, readonly string[]] {
  switch (process.platform) {
    case 'darwin':
      return ['open', [target]]
    case 'win32':
      return ['rundll32', ['url.dll,FileProtocolHandler', target]]
    default:
      return ['xdg-open', [target]]
  }
}

/** Whether this machine has a screen to open a browser on: a Linux without a display has none. */
function hasDisplay(env: NodeJS.ProcessEnv = process.env): boolean {
  return process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/** A page that leads to `url` and does nothing else. */
function redirectPage(url: string): string {
  const address = escapeHtml(url)
  return `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Tapedeck</title>
<a href="${address}">Open Tapedeck</a>
`
}

export interface OpenedPage {
  /** Whether a browser was started. */
  readonly opened: boolean
  /** Deletes the page that held the address. Idempotent. */
  remove(): Promise<void>
}

/**
 * Opens an http address in the system's browser through a redirect page in `folder` (0600; the folder is created 0700).
 * `opened` is false for any other address, without a display, where the page can't be written and where no browser
 * starts. Never rejects.
 */
export async function openInBrowser(url: string, folder: string): Promise<OpenedPage> {
  const { protocol, port, href } = URL.canParse(url) ? new URL(url) : { protocol: '', port: '', href: '' }
  if (!/^https?:$/.test(protocol) || !hasDisplay()) return { opened: false, remove: async () => undefined }
  // One name per port: a page that a crash left behind is replaced by the next host on that port.
  const file = join(folder, `open-${port}.html`)
  const remove = async (): Promise<void> => {
    await rm(file, { force: true }).catch(() => undefined) // a page left behind holds a token of a host that is gone
  }
  const opened = await writePage(folder, file, href).then(
    () => start(...opener(pathToFileURL(file).href)),
    () => false,
  )
  if (!opened) await remove()
  return { opened, remove }
}

async function writePage(folder: string, file: string, href: string): Promise<void> {
  makeFolder(folder, 0o700)
  await rm(file, { force: true })
  // wx: never through a link that someone put there since.
  await writeFile(file, redirectPage(href), { mode: 0o600, flag: 'wx' })
}

async function start(command: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
    child.once('spawn', () => {
      // Some openers run as long as the browser does: that counts as opened.
      const patience = setTimeout(() => resolve(true), 3_000)
      child.once('exit', () => clearTimeout(patience))
      child.unref()
    })
  })
}
