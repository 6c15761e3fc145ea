/**
 * Requests from the desktop to a window: a link, a menu item, a shortcut. A link comes from a stranger: it can only
 * name things to show, and nothing in it is executed, requested or stored.
 */
import { parseInterval, type Interval } from '../../core/market/market.ts'

export type Ask =
  /** A command of the window's command table. */
  | { readonly do: 'command'; readonly id: string }
  /** Shows a symbol, as if typed. */
  | { readonly do: 'symbol'; readonly symbol: string; readonly interval: Interval | null }
  /** Opens a session for replay. `atMs`: UTC ms; null: from its start. */
  | { readonly do: 'replay'; readonly session: string; readonly atMs: number | null }
  /** Offers to import a file that the terminal already holds, by its id. Links can't request this. */
  | { readonly do: 'import'; readonly file: string; readonly name: string }

/** A request with its number. A window answers each once. */
export interface NumberedAsk {
  readonly id: number
  readonly ask: Ask
}

/** An item of the native menu, built by the window from its commands. */
export interface MenuRow {
  readonly id: string
  readonly title: string
  readonly group: string
  /** As shown, such as "Ctrl+K"; null if there is none. */
  readonly keys: string | null
}

/** The command behind each pane and dialog that a link can show. */
const LINKED: Readonly<Record<string, string>> = {
  sessions: 'sessions',
  evidence: 'evidence',
  journal: 'journal',
  log: 'log',
  team: 'team',
  health: 'health',
  screener: 'screener',
  news: 'news',
  earnings: 'earnings',
  company: 'company',
  commodities: 'commodities',
  technical: 'technical',
  settings: 'settings',
  demo: 'watchlist',
}
export const LINK_SCHEME = 'tapedeck:'
const LONGEST = 512
const SYMBOL = /^[A-Za-z0-9][A-Za-z0-9.:_-]{0,31}$/
const SESSION = /^[0-9a-z_-]{4,64}$/

/**
 * The request of a `tapedeck://` link, or null if it isn't known.
 *
 * `tapedeck://symbol/BTC-USD?interval=5m`, `tapedeck://replay/SESSION?at=1700000000000`, `tapedeck://sessions` and the
 * other panes.
 */
export function parseLink(text: string): Ask | null {
  if (text.length > LONGEST || !URL.canParse(text)) return null
  const url = new URL(text)
  if (url.protocol !== LINK_SCHEME || url.username !== '' || url.password !== '' || url.port !== '') return null
  const rest = url.pathname.replace(/^\/|\/$/g, '')
  const what = url.hostname.toLowerCase()
  if (what === 'symbol') {
    const asked = url.searchParams.get('interval')
    const interval = asked === null ? null : (parseInterval(asked) ?? null)
    return SYMBOL.test(rest) ? { do: 'symbol', symbol: rest.toUpperCase(), interval } : null
  }
  if (what === 'replay') {
    const at = url.searchParams.get('at')
    const atMs = at !== null && /^\d{1,15}$/.test(at) ? Number(at) : null
    return SESSION.test(rest) ? { do: 'replay', session: rest, atMs } : null
  }
  return rest === '' && Object.hasOwn(LINKED, what) ? { do: 'command', id: LINKED[what] } : null
}
