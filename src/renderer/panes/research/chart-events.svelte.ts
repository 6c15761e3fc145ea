/** Earnings and news of a company as marks on its chart; in a replay those that were known by its clock. */
import { readAnswer, type Reading } from '../../../shared/adaptive/read.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { ChartMarker } from '../../charts/markers.ts'
import { reportsOf, reportTable } from './earnings.ts'
import { newsTable, storiesOf } from './story.ts'

const ENDPOINTS = ['earnings-history', 'company-news'] as const
type EventEndpoint = (typeof ENDPOINTS)[number]
const LONGEST = 120

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
      `Earnings ${one.period}`.trim(),
      Number.isNaN(one.actual) ? '' : `${one.actual}`,
      Number.isNaN(one.estimate) ? '' : `estimate ${one.estimate}`,
    ]
      .filter((part) => part !== '')
      .join(', '),
  }))
}

export class ChartEvents {
  #all = $state.raw<readonly ChartMarker[]>([])
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Asks for a company's events; null: for none. Returns its own undo. */
  follow(query: EventQuery | null): () => void {
    this.#all = []
    if (query === null) return () => undefined
    const { view, symbol, params } = query
    let gone = false
    for (const endpoint of ENDPOINTS) {
      const question = { view, endpoint, symbol, params: params[endpoint] ?? {} }
      const ticket = `chart-${endpoint}`
      void this.#transport.invoke('research.get', { ...question, mode: 'fresh', ticket }).then((result) => {
        const text = result.ok ? result.value.answer?.text : undefined
        if (!gone && text !== undefined) this.#all = [...this.#all, ...markersOf(endpoint, readAnswer(text))]
      })
    }
    return () => (gone = true)
  }

  /** Events up to an instant, UTC ms. */
  upTo(nowMs: number): readonly ChartMarker[] {
    return this.#all.filter((one) => one.ms <= nowMs)
  }
}
