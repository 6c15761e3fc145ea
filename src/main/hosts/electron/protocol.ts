/** `app://tapedeck/`: the built window as an origin of its own, so that nothing needs `file:`. */
import type { Protocol } from 'electron'
import type { Pages } from '../window-files.ts'
import { APP_HOST, APP_SCHEME } from './security.ts'

/** Must run before the app is ready. */
export function registerScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  // Code cache: by default, Chromium compiles the scripts of such a scheme again at each start.
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/** The response to a request for a page. Pure except for reading the file. */
export async function answerPage(pages: Pages, method: string, address: string): Promise<Response> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (method !== 'GET' && method !== 'HEAD') return new Response(null, { status: 405 })
  const page = await pages.read(url?.host === APP_HOST ? url.pathname : '')
  return new Response(page.body, { status: page.status, headers: page.headers })
}

/** Serves the pages; after the app is ready. */
export function servePages(protocol: Protocol, pages: Pages): void {
  protocol.handle(APP_SCHEME, (request) => answerPage(pages, request.method, request.url))
}
