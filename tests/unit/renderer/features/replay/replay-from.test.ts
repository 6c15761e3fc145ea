import { describe, expect, it } from 'vitest'
import { makeSession } from '../../../../kit/market.ts'
import { isOfSource } from '../../../../../src/renderer/core/market/of-source.ts'
import { replayFrom } from '../../../../../src/renderer/features/replay/replay-from.ts'
import type { SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'

const row = (id: string, fromMs: number, toMs: number | null, more: Partial<SessionRow> = {}): SessionRow =>
  makeSession(id, {
    startedMs: unixMs(fromMs),
    endedMs: toMs === null ? null : unixMs(toMs),
    live: toMs === null,
    messages: 5,
    ...more,
  })
const NOW = 1_000
const rows = [row('one', 100, 200), row('two', 300, 400), row('now', 500, null)]

describe('going back to an instant', () => {
  it('opens the session that was recorded then, also the one that goes on', () => {
    expect(replayFrom(rows, 150, NOW)).toEqual({ sessions: ['one'], atMs: 150 })
    expect(replayFrom(rows, 300, NOW)).toEqual({ sessions: ['two'], atMs: 300 })
    expect(replayFrom(rows, 900, NOW)).toEqual({ sessions: ['now'], atMs: 900 })
  })

  it('joins those on both sides of an instant between them', () => {
    expect(replayFrom(rows, 250, NOW)).toEqual({ sessions: ['one', 'two'], atMs: 250 })
    const other = [row('one', 100, 200, { source: 'service:a@x' }), row('two', 300, 400, { source: 'service:b@x' })]
    expect(replayFrom(other, 250, NOW)).toEqual({ sessions: ['one'], atMs: 200 })
    expect(replayFrom(rows.slice(0, 1), 250, NOW)).toEqual({ sessions: ['one'], atMs: 200 })
  })

  it('takes the earlier of two that overlap, and none that is empty or in the bin', () => {
    const imported = row('imported', 120, 350, { imported: true })
    expect(replayFrom([...rows, imported], 320, NOW)).toEqual({ sessions: ['imported'], atMs: 320 })
    expect(replayFrom([row('empty', 100, 200, { messages: 0 })], 150, NOW)).toBeNull()
    expect(replayFrom([row('binned', 100, 200, { binnedMs: unixMs(900) })], 150, NOW)).toBeNull()
    expect(replayFrom(rows, 50, NOW)).toEqual({ sessions: ['one'], atMs: null })
  })

  it('tells sessions of the source shown from others', () => {
    expect(isOfSource(row('a', 1, 2), { source: 'demo', origin: 'demo' })).toBe(true)
    expect(isOfSource(row('a', 1, 2), { source: 'service', origin: 'http://x' })).toBe(false)
    expect(
      isOfSource(row('a', 1, 2, { source: 'service:me@http://x' }), { source: 'service', origin: 'http://x' }),
    ).toBe(true)
  })
})
