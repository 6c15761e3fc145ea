/**
 * Earnings and news of a company as marks on its chart. Live they are read again as answers grow old; in
 * a replay a mark is there once its clock has reached both what it tells of and the answer that told it.
 */
import { readAnswer, type Reading } from '../../../shared/features/research/read.ts'
import type { Transport } from '../../../shared/rpc/transport.ts'
import { t } from '../../../shared/base/text.ts'
import type { ChartMarker } from '../../charts/model/markers.ts'
import { reportsOf, reportTable } from './answer/earnings.ts'
import { newsTable, storiesOf } from './company/story.ts'

const ENDPOINTS = ['earnings-history', 'company-news'] as const
type EventEndpoint = (typeof ENDPOINTS)[number]
const LONGEST = 120
/** Live: a call is made only where the answer is older than its group's time to live. */
const AGAIN_LIVE_MS = 60_000
/** In a replay no call is made; its clock may have reached an answer. */
const AGAIN_REPLAY_MS = 500

export interface EventQuery {
  /** `live` or a replay. */
  readonly view: string
  readonly symbol: string
  /** The user's own, as the panes send them: the same question has the same history. */
  readonly params: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Marks of an answer: reports by day, stories by their instant. */
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

/** An answer and what it marks. */
interface Told {
  readonly endpoint: EventEndpoint
  readonly id: number
  readonly fetchedMs: number
  readonly markers: readonly ChartMarker[]
}

/** Marks that are known at an instant: of each endpoint its newest answer by then, and of that what had happened. */
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

  /** Asks for a company's events, again and again; null: for none. Returns its own undo. */
  follow(query: EventQuery | null): () => void {
    this.#told = []
    if (query === null) return () => undefined
    const { view, symbol, params } = query
    let gone = false
    const ask = async (endpoint: EventEndpoint) => {
      const question = { view, endpoint, symbol, params: params[endpoint] ?? {} }
      if (view !== 'live') {
        // The clock may have reached no further answer: its text is not read again for that.
        const versions = await this.#transport.invoke('research.versions', question)
        const newest = versions.ok ? versions.value.find(({ status }) => status >= 200 && status <= 299) : undefined
        if (gone || newest === undefined || this.#told.some(({ id }) => id === newest.id)) return
      }
      const ticket = `chart-${endpoint}`
      const result = await this.#transport.invoke('research.get', { ...question, mode: 'fresh', ticket })
      const answer = result.ok ? result.value.answer : null
      if (gone || answer === null || this.#told.some(({ id }) => id === answer.id && id !== 0)) return
      const markers = markersOf(endpoint, readAnswer(answer.text))
      const own = { endpoint, id: answer.id, fetchedMs: answer.fetchedMs, markers }
      // Live only the newest counts; a replay may go back to an older one.
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

  /** Events known at an instant, UTC ms; the same list as before where nothing changed. */
  upTo(nowMs: number): readonly ChartMarker[] {
    const now = knownBy(this.#told, nowMs)
    if (now.length !== this.#last.length || now.some((one, i) => one !== this.#last[i])) this.#last = now
    return this.#last
  }
}
