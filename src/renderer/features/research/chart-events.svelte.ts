/**
 * Earnings and news markers for a company's chart. Live, they are refreshed as responses expire. In a replay, a
 * marker appears once the clock has passed both the event and the time its response was received.
 */
import { readResponse, type Reading } from '../../../shared/features/research/read.ts'
import type { Transport } from '../../../shared/transport.ts'
import { t } from '../../../shared/base/text.ts'
import type { ChartMarker } from '../../charts/model/markers.ts'
import { reportsOf, reportTable } from './response/earnings.ts'
import { newsTable, storiesOf } from './company/story.ts'

const ENDPOINTS = ['earnings-history', 'company-news'] as const
type EventEndpoint = (typeof ENDPOINTS)[number]
const LONGEST = 120
/** Live poll interval, ms. A request is sent only if the response is older than its group's time to live. */
const AGAIN_LIVE_MS = 60_000
/** Replay poll interval, ms. Sends no request: it checks whether the clock has reached another saved response. */
const AGAIN_REPLAY_MS = 500

export interface EventQuery {
  /** `live` or a replay id. */
  readonly view: string
  readonly symbol: string
  /** The user's query parameters by endpoint, as the panes send them, so both share the same history. */
  readonly params: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Markers of a response: earnings by day, news by instant. */
export function markersOf(endpoint: EventEndpoint, reading: Reading): readonly ChartMarker[] {
  if (endpoint === 'company-news') {
    const table = newsTable(reading)
    if (table === undefined) return []
    return storiesOf(table)
      .filter((one) => !Number.isNaN(one.atMs))
      .map((one) => ({ kind: 'news', ms: one.atMs, day: false, text: one.headline.slice(0, LONGEST) }))
  }
  const table = reportTable(reading)
  if (table === undefined) return []
  return reportsOf(table).map((one) => ({
    kind: 'earnings',
    ms: Date.parse(`${one.day}T00:00:00Z`),
    day: true,
    text: [
      t('Earnings {period}', { period: one.period }).trim(),
      Number.isNaN(one.actual) ? '' : `${one.actual}`,
      Number.isNaN(one.estimate) ? '' : t('estimate {estimate}', { estimate: String(one.estimate) }),
    ]
      .filter((part) => part !== '')
      .join(', '),
  }))
}

/** A response and its markers. */
interface Told {
  readonly endpoint: EventEndpoint
  readonly id: number
  readonly fetchedMs: number
  readonly markers: readonly ChartMarker[]
}

/** Markers known at `nowMs`: past events from each endpoint's newest response received by then. */
export function knownBy(told: readonly Told[], nowMs: number): readonly ChartMarker[] {
  return ENDPOINTS.flatMap((endpoint) => {
    let newest: Told | undefined
    for (const one of told) {
      if (one.endpoint !== endpoint || one.fetchedMs > nowMs) continue
      if (newest === undefined || one.fetchedMs >= newest.fetchedMs) newest = one
    }
    return newest?.markers.filter(({ ms }) => ms <= nowMs) ?? []
  })
}

export class ChartEvents {
  #told = $state.raw<readonly Told[]>([])
  #last: readonly ChartMarker[] = []
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Polls a company's events; null clears them. Returns a function that stops polling. */
  follow(query: EventQuery | null): () => void {
    this.#told = []
    if (query === null) return () => undefined
    const { view, symbol, params } = query
    let gone = false
    const ask = async (endpoint: EventEndpoint) => {
      const question = { view, endpoint, symbol, params: params[endpoint] ?? {} }
      if (view !== 'live') {
        // Skip reading the response text if the clock hasn't reached another response.
        const versions = await this.#transport.invoke('research.versions', question)
        const newest = versions.ok ? versions.value.find(({ status }) => status >= 200 && status <= 299) : undefined
        if (gone || newest === undefined || this.#told.some(({ id }) => id === newest.id)) return
      }
      const ticket = `chart-${endpoint}`
      const result = await this.#transport.invoke('research.get', { ...question, mode: 'fresh', ticket })
      const response = result.ok ? result.value.response : null
      if (gone || response === null || this.#told.some(({ id }) => id === response.id && id !== 0)) return
      const markers = markersOf(endpoint, readResponse(response.text))
      const own = { endpoint, id: response.id, fetchedMs: response.fetchedMs, markers }
      // Live, only the newest response matters; a replay may go back to an older one.
      const others = view === 'live' ? this.#told.filter((one) => one.endpoint !== endpoint) : this.#told
      this.#told = [...others, own]
    }
    let asking = false
    const askAll = async () => {
      if (asking) return
      asking = true
      await Promise.all(ENDPOINTS.map(ask))
      asking = false
    }
    void askAll()
    const timer = setInterval(() => void askAll(), view === 'live' ? AGAIN_LIVE_MS : AGAIN_REPLAY_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }

  /** Markers known at `nowMs` (UTC ms). Returns the same array while nothing changes. */
  upTo(nowMs: number): readonly ChartMarker[] {
    const now = knownBy(this.#told, nowMs)
    if (now.length !== this.#last.length || now.some((one, i) => one !== this.#last[i])) this.#last = now
    return this.#last
  }
}
