/** What a window may do: show our own pages and talk to the terminal. Everything else is denied here. */
import type { App, Session, WebContents } from 'electron'
import type { LogEntry } from '../../../shared/core/status/status.ts'

type Log = (level: LogEntry['level'], text: string) => void

/** Scheme and host of the built pages. */
export const APP_SCHEME = 'app'
export const APP_HOST = 'tapedeck'
export const APP_URL = `${APP_SCHEME}://${APP_HOST}/`

/** Scheme and host of an address. `URL.origin` is "null" for schemes that Node doesn't know. */
function site(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

/** Whether an address is one of our pages: the app's scheme, or the dev server while developing. */
export function isOwnPage(url: string, ownUrl: string): boolean {
  const own = site(ownUrl)
  return own !== undefined && site(url) === own
}

/** The parts of a sender's frame needed here, so that tests need no Electron. */
export interface SenderFrame {
  readonly url: string
  readonly parent: unknown
}

/** Whether the sender is the top frame of one of our own pages. */
export function isTrustedSender(frame: SenderFrame | null, ownUrl: string): boolean {
  try {
    return frame !== null && frame.parent === null && isOwnPage(frame.url, ownUrl)
  } catch {
    return false // Electron throws when a frame that is gone is read.
  }
}

/**
 * Lets web addresses through to `open` and nothing else. The terminal checks first; this is the last check before the
 * system starts whatever program claims a scheme.
 */
export function webAddressesOnly(open: (url: string) => Promise<void>): (url: string) => Promise<void> {
  return async (url) => {
    if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) await open(url)
  }
}

/**
 * Denies permissions, devices and foreign requests. One exception: writing text that the user chose to
 * copy; it needs a user's gesture and tells the page nothing.
 */
export function guardSession(session: Session, ownUrl: string): void {
  const granted = (permission: string, url: string): boolean =>
    permission === 'clipboard-sanitized-write' && isOwnPage(url, ownUrl)
  session.setPermissionRequestHandler((_contents, permission, answer, details) =>
    answer(granted(permission, details.requestingUrl ?? '')),
  )
  session.setPermissionCheckHandler((_contents, permission, origin) => granted(permission, origin))
  session.setDevicePermissionHandler(() => false)
}

const REPLAY_HASH = /^#replay=[0-9A-Za-z_,-]{1,6500}(?:&at=\d{1,16})?$/

/** Panes of a workspace that were moved into a window of their own. */
const PANES_HASH = /^#workspace=[a-z0-9][a-z0-9-]{0,39}&window=[a-z0-9][a-z0-9-]{0,39}$/

/**
 * The address of a second window that our page may request: our own page, showing a replay. It is rebuilt from the
 * app's own address and the checked fragment. undefined: refused.
 */
export function replayWindowUrl(asked: string, ownUrl: string): string | undefined {
  if (!isOwnPage(asked, ownUrl)) return undefined
  const { pathname, search, hash } = new URL(asked)
  if (pathname !== '/' || search !== '' || !(REPLAY_HASH.test(hash) || PANES_HASH.test(hash))) return undefined
  return new URL(hash, ownUrl).href
}

type OpenBeside = (url: string, features: string) => void

function guardContents(contents: WebContents, ownUrl: string, log: Log, openReplay: OpenBeside): void {
  const stay = (event: { preventDefault(): void; readonly url: string }): void => {
    if (isOwnPage(event.url, ownUrl)) return
    event.preventDefault()
    log('warn', 'A page’s attempt to navigate away was denied')
  }
  contents.on('will-navigate', stay)
  contents.on('will-redirect', stay)
  contents.on('will-frame-navigate', stay)
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url, features }) => {
    // Denied even then: we create the window ourselves, with our preload and no opener.
    const replay = isOwnPage(contents.getURL(), ownUrl) ? replayWindowUrl(url, ownUrl) : undefined
    if (replay === undefined) log('warn', 'A page’s attempt to open a window was denied')
    else openReplay(replay, features)
    return { action: 'deny' }
  })
}

/** Guards every page that ever comes to be, before it loads anything. `openReplay` makes the one window a page may ask for. */
export function guardApp(app: App, ownUrl: string, log: Log, openReplay: OpenBeside): void {
  app.on('web-contents-created', (_event, contents) => guardContents(contents, ownUrl, log, openReplay))
}
