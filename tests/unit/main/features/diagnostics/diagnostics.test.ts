import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { keepCrash, readCrashes } from '../../../../../src/main/features/diagnostics/crashes.ts'
import { diagnosticsText, type DiagnosticFacts } from '../../../../../src/main/features/diagnostics/report.ts'
import { DEFAULT_SETTINGS } from '../../../../kit/settings.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const now = Date.UTC(2026, 0, 5, 10)
const facts: DiagnosticFacts = {
  info: { host: 'electron', version: '1.2.3', platform: 'linux', storePath: '/home/jane/.local/share/tapedeck/t.db' },
  versions: { node: '24.0.0', electron: undefined },
  nowMs: now,
  settings: {
    ...DEFAULT_SETTINGS,
    account: {
      ...DEFAULT_SETTINGS.account,
      source: 'service',
      baseUrl: 'https://feeds.example.com/v1',
      user: 'jane@x.org',
    },
    watchlists: [{ id: 'a', name: 'Mine', sort: null, symbols: [{ asset: 'stocks', symbol: 'BRK.B' }] }],
  },
  status: {
    nowMs: unixMs(now),
    source: 'service',
    origin: 'https://feeds.example.com',
    historyChanges: 0,
    feeds: [
      {
        feed: 'crypto/XT',
        state: { is: 'open', sinceMs: unixMs(now) },
        connections: 1,
        acknowledged: ['X:BTC-USD', 'ETH-USD'],
        missing: ['DOGE-USD'],
        overBudget: [],
        budget: 50,
        perSecond: 3,
        received: 9,
        undecodable: 0,
        unasked: 0,
        lastMessageMs: null,
        mappings: [],
      },
    ],
    recorder: { is: 'off' },
    received: 9,
    stored: 9,
    perSecond: 3,
    backlogBytes: 0,
    receiveToStored: null,
    store: { path: '/home/jane/.local/share/tapedeck/t.db', bytes: 1, freeBytes: 2, bytesPerHour: null },
    skewMs: null,
    gapsToday: 0,
    message: 'DOGE-USD was refused for jane@x.org',
  },
  log: [
    {
      id: 1,
      atMs: unixMs(now),
      level: 'warn',
      from: 'feeds',
      text: 'X:BTC-USD is late, brk.b too',
      detail: 'at /home/jane/x',
    },
  ],
  crashes: ['Error: no rows of ETHUSD at feeds.example.com'],
  home: '/home/jane',
}

describe('diagnostics', () => {
  test('name no user, no service, no folder and no symbol', () => {
    const text = diagnosticsText(facts, false)
    for (const secret of ['jane', 'feeds.example.com', 'BTC', 'DOGE', 'ETHUSD', 'BRK']) {
      expect(text.toUpperCase()).not.toContain(secret.toUpperCase())
    }
    expect(text).toContain('Tapedeck 1.2.3, electron, linux')
    expect(text).toMatch(/\(symbol \d\) is late, \(symbol \d\) too/)
    expect(text).toContain('crypto/XT')
  })

  test('name symbols where the user allows it, and still no user', () => {
    const text = diagnosticsText(facts, true)
    expect(text).toContain('DOGE-USD was refused for (user)')
    expect(text).not.toContain('jane')
  })
})

describe('crash reports', () => {
  let folder: string
  beforeEach(() => {
    folder = makeFolder('crash')
  })

  test('are saved, the newest ten of them', () => {
    expect(readCrashes(folder)).toEqual([])
    for (let n = 0; n < 14; n++) keepCrash(folder, { atMs: now + n, version: '1', what: 'main', text: `crash ${n}` })
    const texts = readCrashes(folder)
    expect(texts).toHaveLength(10)
    expect(texts[0]).toContain('crash 4')
    expect(texts.at(-1)).toContain('crash 13')
    expect(readdirSync(join(folder, 'crashes'))[0]).toBe('crash-2026-01-05T10-00-00-004Z-main.txt')
  })

  test('that cannot be written are let go', () => {
    writeFileSync(join(folder, 'crashes'), 'a file in the way')
    expect(keepCrash(folder, { atMs: now, version: '1', what: 'window', text: 'x' })).toBeNull()
  })
})
