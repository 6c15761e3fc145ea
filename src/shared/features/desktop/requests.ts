/**
 * What the system outside asks of a window: a link that was opened, a row of the native menu, a shortcut. A link is
 * text of a stranger: it can only name things to look at, and nothing it says is executed, fetched or stored.
 */
import { INTERVAL_LABELS, type Interval } from '../../core/market/market.ts'

export type Ask =
  /** A command of the window's own table. */
  | { readonly do: 'command'; readonly id: string }
  /** Shows a symbol, as it would be typed. */
  | { readonly do: 'symbol'; readonly symbol: string; readonly interval: Interval | null }
  /** Opens a recording for replay. `atMs`: UTC ms; null: its start. */
  | { readonly do: 'replay'; readonly session: string; readonly atMs: number | null }
  /** Offers a file that the terminal has for import, by its id there; no link asks it. */
  | { readonly do: 'import'; readonly file: string; readonly name: string }

/** An ask with its number: a window answers each once. */
export interface NumberedAsk {
  readonly id: number
  readonly ask: Ask
}

/** A row of the native menu, told by the window from its table of commands. */
export interface MenuRow {
  readonly id: string
  readonly title: string
  readonly group: string
  /** As shown: "Ctrl+K"; null: none. */
  readonly keys: string | null
}

/** Panes and dialogs that a link may show: the command behind each. */
const LINKED: Readonly<Record<string, string>> = {
  sessions: 'sessions',
  evidence: 'evidence',
  log: 'log',
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
 * What a `tapedeck://` link asks for; null: nothing that is known.
 *
 * `tapedeck://symbol/BTC-USD?interval=5m`, `tapedeck://replay/SESSION?at=1700000000000`,
 * `tapedeck://sessions` and the other panes.
 */
export function parseLink(text: string): Ask | null {
  if (text.length > LONGEST || !URL.canParse(text)) return null
  const url = new URL(text)
  if (url.protocol !== LINK_SCHEME || url.username !== '' || url.password !== '' || url.port !== '') return null
  const rest = url.pathname.replace(/^\/|\/$/g, '')
  const what = url.hostname.toLowerCase()
  if (what === 'symbol') {
    const asked = url.searchParams.get('interval')
    const interval = INTERVAL_LABELS.find((label) => label === asked) ?? null
    return SYMBOL.test(rest) ? { do: 'symbol', symbol: rest.toUpperCase(), interval } : null
  }
  if (what === 'replay') {
    const at = url.searchParams.get('at')
    const atMs = at !== null && /^\d{1,15}$/.test(at) ? Number(at) : null
    return SESSION.test(rest) ? { do: 'replay', session: rest, atMs } : null
  }
  return rest === '' && Object.hasOwn(LINKED, what) ? { do: 'command', id: LINKED[what] } : null
}
