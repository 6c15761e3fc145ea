import { describe, expect, it } from 'vitest'
import { checkHealth } from '../../../../../src/main/core/monitor/health.ts'
import { createMonitor } from '../../../../../src/main/core/monitor/monitor.ts'
import type { StatusState } from '../../../../../src/shared/core/status/status.ts'
import type { FeedId } from '../../../../../src/shared/base/units.ts'
import { feedIn, NOW, open, status, waiting, why } from '../../../../kit/status.ts'

const failing = (part: Partial<StatusState>, wanted: readonly FeedId[] | null = ['crypto/XT']) =>
  checkHealth(status(part), wanted)
    .checks.filter(({ ok }) => !ok)
    .map(({ check, text }) => `${check}: ${text}`)

describe('health', () => {
  it('is good while every wanted feed is open and its messages are stored', () => {
    const { ok, checks } = checkHealth(status(), ['crypto/XT'])
    expect(ok).toBe(true)
    expect(checks).toMatchObject([
      { check: 'recording', session: 's1' },
      { check: 'feeds', open: 1, wanted: 1 },
      { check: 'messages', age_seconds: 1.5 },
      { check: 'disk', free_bytes: 5e9 },
    ])
  })

  it.each<[string, Partial<StatusState>, readonly string[]]>([
    [
      'a feed that isn’t connected',
      { feeds: [feedIn('crypto/XT', waiting)] },
      ['feeds: 0 of 1 feed open. crypto/XT: The service can’t be reached.'],
    ],
    [
      'a symbol that the service hasn’t confirmed',
      { feeds: [feedIn('crypto/XT', open, { missing: ['ETH-USD'] })] },
      ['feeds: 1 of 1 feed open. The service hasn’t confirmed crypto/XT:ETH-USD.'],
    ],
    [
      'a recording that is interrupted',
      { recorder: { is: 'broken', why, sinceMs: NOW, lost: 3 } },
      ['recording: The service can’t be reached. Check it.'],
    ],
    [
      'a disk that is nearly full',
      { store: { path: '', bytes: 1, freeBytes: 99_999_999, bytesPerHour: null } },
      ['disk: 99 MB free, less than 100 MB.'],
    ],
  ])('suffers from %s, and says so', (_, part, expected) => {
    expect(failing(part)).toEqual(expected)
  })

  it.each<[string, Partial<StatusState>]>([
    ['a quiet market', { feeds: [feedIn('crypto/XT', { is: 'stale', sinceMs: NOW, lastMs: NOW })] }],
    ['no message yet', { feeds: [feedIn('crypto/XT', open, { lastMessageMs: null })] }],
    ['recording that the user turned off', { recorder: { is: 'off' } }],
    ['free space that isn’t known yet', { store: { path: '', bytes: 0, freeBytes: 0, bytesPerHour: null } }],
  ])('doesn’t suffer from %s', (_, part) => {
    expect(failing(part)).toEqual([])
  })

  it('asks for the feeds that were named, or for those that have connections', () => {
    const feeds = [feedIn('crypto/XT', open), feedIn('forex/C', waiting), feedIn('stocks/T', { is: 'idle' })]
    expect(failing({ feeds })).toEqual([])
    expect(failing({ feeds }, null)).toHaveLength(1)
  })
})

describe('the monitor', () => {
  const monitor = createMonitor({ version: '1.2.3', startedMs: NOW, standsBy: true, more: () => 'tapedeck_team_x 1\n' })

  it('is in standby while nothing runs', () => {
    expect(monitor.health()).toMatchObject({ ok: true, checks: [{ text: 'Waiting in standby.' }] })
    expect(monitor.metrics()).toContain('tapedeck_recording{} 0\n')
  })

  it('isn’t healthy while nothing runs where nothing else could record', () => {
    const alone = createMonitor({ version: '1.2.3', startedMs: NOW, standsBy: false })
    expect(alone.health()).toMatchObject({ ok: false, checks: [{ text: 'Not recording: starting or closing.' }] })
  })

  it('reports the status that it watches, then what else there is, until it is undone', () => {
    const undo = monitor.watch(
      () => status({ feeds: [feedIn('crypto/XT', waiting, { missing: ['ETH-USD'] })] }),
      () => ['crypto/XT'],
    )
    expect(monitor.health().ok).toBe(false)
    const lines = monitor.metrics().split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        'tapedeck_build_info{version="1.2.3",source="demo"} 1',
        'tapedeck_recording{} 1',
        'tapedeck_feed_open{feed="crypto/XT"} 0',
        'tapedeck_feed_missing_symbols{feed="crypto/XT"} 1',
        'tapedeck_feed_received_total{feed="crypto/XT"} 7',
        'tapedeck_feed_last_message_time_seconds{feed="crypto/XT"} 1767607198.5',
        'tapedeck_stored_total{} 6',
        'tapedeck_stored_delay_seconds{quantile="0.99"} 0.05',
        'tapedeck_store_free_bytes{} 5000000000',
        'tapedeck_team_x 1',
      ]),
    )
    undo()
    expect(monitor.metrics()).not.toContain('feed="crypto/XT"')
  })
})
