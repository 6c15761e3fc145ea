import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ChartEvents, knownBy, markersOf } from '../../../../../src/renderer/features/research/chart-events.svelte.ts'
import { readResponse } from '../../../../../src/shared/features/research/read.ts'
import type { ServiceResponse } from '../../../../../src/shared/features/research/research.ts'
import { makeResponse } from '../../../../kit/research.ts'
import { TestTransport } from '../../../../kit/transport.ts'

const T = Date.UTC(2026, 5, 1, 14)
const MINUTE = 60_000
const news = (...minutes: number[]) =>
  JSON.stringify(minutes.map((m) => ({ headline: `Story ${m}`, published_at: new Date(T + m * MINUTE).toISOString() })))
const reports = JSON.stringify([
  { date: '2026-06-01', quarter: 'Q2', eps_actual: 1.2, eps_estimate: 1.1 },
  { date: '2026-09-01', quarter: 'Q3', eps_actual: null, eps_estimate: 1.3 },
])

/** A terminal that stores responses, and shows a replay those that were fetched by its time. */
function terminal(stored: Record<string, ServiceResponse[]>) {
  const state = { nowMs: T, asked: [] as string[] }
  const known = (call: string, endpoint: string) => {
    state.asked.push(`${call} ${endpoint}`)
    return (stored[endpoint] ?? []).filter(({ fetchedMs }) => fetchedMs <= state.nowMs).toReversed()
  }
  const transport = new TestTransport()
    .answer('research.versions', ({ endpoint }) => known('research.versions', endpoint))
    .answer('research.get', ({ endpoint }) => {
      const [response = null] = known('research.get', endpoint)
      return { response, failure: null, stale: false, fresh: false }
    })
  return { state, stored, transport }
}
const texts = (list: readonly { text: string }[]) => list.map(({ text }) => text)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('events on a chart', () => {
  it('are stories by their instant and reports by their day', () => {
    expect(markersOf('company-news', readResponse(news(3)))).toEqual([
      { kind: 'news', ms: T + 3 * MINUTE, day: false, text: 'Story 3' },
    ])
    expect(markersOf('earnings-history', readResponse(reports))[0]).toEqual({
      kind: 'earnings',
      ms: Date.UTC(2026, 5, 1),
      day: true,
      text: 'Earnings Q2, 1.2, estimate 1.1',
    })
  })

  it('are known neither before they happen nor before they were published', () => {
    const fetched = [
      { endpoint: 'company-news', id: 1, fetchedMs: T, markers: markersOf('company-news', readResponse(news(-5, 2))) },
      {
        endpoint: 'company-news',
        id: 2,
        fetchedMs: T + 10 * MINUTE,
        markers: markersOf('company-news', readResponse(news(-7, 2, 4))),
      },
    ] as const
    for (let minute = -10; minute < 20; minute++) {
      const now = T + minute * MINUTE
      const known = knownBy(fetched, now)
      for (const one of known) expect(one.ms).toBeLessThanOrEqual(now)
      if (minute < 0) expect(known).toEqual([])
      if (minute >= 0 && minute < 10) expect(texts(known)).not.toContain('Story 4')
    }
    expect(texts(knownBy(fetched, T + 11 * MINUTE))).toEqual(['Story 4', 'Story 2', 'Story -7'])
  })

  it('follow the clock of a replay forward and back, and read no response twice', async () => {
    const { state, transport } = terminal({
      'company-news': [makeResponse(1, news(0), T + MINUTE), makeResponse(2, news(0, 3, 90), T + 5 * MINUTE)],
      'earnings-history': [makeResponse(3, reports, T + 2 * MINUTE)],
    })
    const events = new ChartEvents(transport)
    const stop = events.follow({ view: 'replay-1', symbol: 'AAPL', params: {} })
    const at = async (ms: number) => {
      state.nowMs = ms
      await vi.advanceTimersByTimeAsync(1_000)
      return texts(events.upTo(ms))
    }
    expect(await at(T)).toEqual([])
    expect(await at(T + MINUTE)).toEqual(['Story 0'])
    expect(await at(T + 6 * MINUTE)).toEqual(['Earnings Q2, 1.2, estimate 1.1', 'Story 3', 'Story 0'])
    // Back at once, before anything was asked again.
    expect(texts(events.upTo(T + 4 * MINUTE))).toEqual(['Earnings Q2, 1.2, estimate 1.1', 'Story 0'])
    expect(texts(events.upTo(T + MINUTE))).toEqual(['Story 0'])
    expect(await at(T + MINUTE - 1)).toEqual([])
    expect(state.asked.filter((one) => one === 'research.get company-news')).toHaveLength(2)
    expect(state.asked.filter((one) => one === 'research.get earnings-history')).toHaveLength(1)
    stop()
    const asked = state.asked.length
    await vi.advanceTimersByTimeAsync(10_000)
    expect(state.asked).toHaveLength(asked)
  })

  it('refresh in the live view as responses grow old, and reuse their list if nothing changed', async () => {
    const { state, stored, transport } = terminal({ 'company-news': [makeResponse(1, news(0), T)] })
    const events = new ChartEvents(transport)
    const stop = events.follow({ view: 'live', symbol: 'AAPL', params: {} })
    await vi.advanceTimersByTimeAsync(1)
    const first = events.upTo(T + 1_000)
    expect(texts(first)).toEqual(['Story 0'])
    expect(events.upTo(T + 2_000)).toBe(first)
    state.nowMs = T + 2 * MINUTE
    stored['company-news'].push(makeResponse(2, news(0, 1), T + 2 * MINUTE))
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(texts(events.upTo(T + 2 * MINUTE))).toEqual(['Story 1', 'Story 0'])
    stop()
  })
})
