/** Opening an address in the system's browser, without a shell. */
import { spawn } from 'node:child_process'

function opener(url: string): readonly [string, readonly string[]] {
  switch (process.platform) {
    case 'darwin':
      return ['open', [url]]
    case 'win32':
      return ['rundll32', ['url.dll,FileProtocolHandler', url]]
    default:
      return ['xdg-open', [url]]
  }
}

/** Whether this machine has a screen to open a browser on: a Linux without a display has none. */
export function hasDisplay(env: NodeJS.ProcessEnv = process.env): boolean {
  return process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/** Opens an http(s) address in the system's browser; false when it is no such address or there is no way to. */
export async function openInBrowser(url: string): Promise<boolean> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol) || !hasDisplay()) return false
  const [command, args] = opener(new URL(url).href)
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
    child.once('spawn', () => {
      // Some openers stay as long as the browser does: that too is a success.
      const patience = setTimeout(() => resolve(true), 3_000)
      child.once('exit', () => clearTimeout(patience))
      child.unref()
    })
  })
}
