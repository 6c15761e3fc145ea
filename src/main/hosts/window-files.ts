/**
 * The window's own files, as both hosts serve them: only what the build put there, each with the same
 * strict headers. The list is read once, so a path can only ever name a file of the build: there is
 * nothing to traverse.
 */
import { readFile, readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

export interface Page {
  readonly status: 200 | 404
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer>
}

export interface Pages {
  /** The file of a URL's path (percent-encoded, as it came); a plain 404 for everything else. */
  read(pathname: string): Promise<Page>
}

/** The policy of every page. `connect` is where the page may open connections. */
export function contentSecurityPolicy(connect: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connect}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    // Svelte makes its templates by the first policy, formulas get the address of their worker by the second; nothing
    // else may make trusted markup or scripts.
    'trusted-types svelte-trusted-html tapedeck-worker',
  ].join('; ')
}

function headers(type: string, policy: string): Record<string, string> {
  return {
    'content-type': type,
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }
}

/**
 * Every file below `folder`, keyed by its URL path under `prefix`. Walks one folder at a time: inside an app.asar
 * `readdir` is Electron's own, and whether its recursive form tells files from folders depends on the version.
 */
async function listFiles(folder: string, prefix: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const url = `${prefix}/${entry.name}`
    if (entry.isFile()) files.set(url, path)
    else if (entry.isDirectory()) for (const [below, file] of await listFiles(path, url)) files.set(below, file)
  }
  return files
}

/**
 * Lists a folder of built pages. `connect` is the `connect-src` of their policy. Rejects with the file
 * system's error when the folder is not there (not built).
 */
export async function openPages(folder: string, connect: string): Promise<Pages> {
  const policy = contentSecurityPolicy(connect)
  const files = await listFiles(folder, '')
  const index = files.get('/index.html')
  if (index) files.set('/', index)
  const missing: Page = {
    status: 404,
    headers: headers('text/plain; charset=utf-8', policy),
    body: new TextEncoder().encode('There is no such page.\n'),
  }
  return {
    async read(pathname) {
      const path = files.get(pathname)
      if (path === undefined) return missing
      try {
        const body = await readFile(path)
        return { status: 200, headers: headers(TYPES[extname(path)] ?? 'application/octet-stream', policy), body }
      } catch {
        return missing // The build was replaced while the host was running.
      }
    },
  }
}
