import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  columnWidths,
  COLUMNS,
  fittingColumns,
  spreadText,
  SYMBOL_WIDTH,
} from '../../../../../src/renderer/core/market/columns.ts'
import { makeQuoteRow } from '../../../../kit/market.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { flashOf, remember } from '../../../../../src/renderer/ui/table/flash.ts'
import { ageCell, freshnessSentence, shownFreshness } from '../../../../../src/renderer/core/market/freshness.ts'
import { isBegun } from '../../../../../src/renderer/core/window/keys.ts'
import { isInterval, msOf, parseInterval } from '../../../../../src/shared/core/market/market.ts'
import { sourceName, sourceNames, sourcePill } from '../../../../../src/renderer/core/account/source-labels.ts'
import { unknownSymbols } from '../../../../../src/renderer/core/symbols/unknown-symbols.ts'
import { urlProblem } from '../../../../../src/renderer/core/account/base-url.ts'
import { zoneOf } from '../../../../../src/renderer/text/zones.ts'
import { NumberText } from '../../../../../src/renderer/text/format.ts'
import type { FeedState, Freshness, QuoteRow, StatusState } from '../../../../../src/shared/core/status/status.ts'
import { instrumentId, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'

const en = new NumberText('en-US')
const row = (part: Partial<QuoteRow>): QuoteRow => makeQuoteRow({ freshness: 'live', ...part })

describe('flash', () => {
  const first = row({ last: 100, flash: 1, tick: 1 })
  it('never marks the first value of a cell', () => {
    expect(flashOf(undefined, first, 0)).toBeNull()
  })
  it('marks a newer print in its direction, once', () => {
    const before = remember(first, 0)
    const next = row({ last: 99, flash: 2, tick: -1 })
    expect(flashOf(before, next, 0)).toBe(-1)
    expect(flashOf(remember(next, 0), next, 0)).toBeNull()
  })
  it('leaves an equal price, and the first print after a reconnect or a seek, alone', () => {
    const before = remember(first, 0)
    expect(flashOf(before, row({ flash: 2, tick: 0 }), 0)).toBeNull()
    expect(flashOf(before, row({ flash: 2, tick: null }), 0)).toBeNull()
    expect(flashOf(before, row({ flash: 2, tick: 1 }), 1)).toBeNull()
  })
  it('does not carry over to another instrument of the same cell', () => {
    const other = { ...row({ flash: 9, tick: 1 }), instrument: instrumentId('crypto', 'ETH-USD') }
    expect(flashOf(remember(first, 0), other, 0)).toBeNull()
  })
  it.each<Freshness>(['stale', 'closed', 'disconnected'])('never makes a %s price look live', (freshness) => {
    expect(flashOf(remember(first, 0), row({ flash: 2, tick: 1, freshness }), 0)).toBeNull()
  })
})

describe('freshness', () => {
  it('has five sentences that differ, each with its age where the price may be old', () => {
    const states: Freshness[] = ['live', 'quiet', 'stale', 'closed', 'disconnected', 'waiting']
    expect(new Set(states.map((state) => freshnessSentence(state, 14_000).split(/[:.]/)[0])).size).toBe(6)
    expect(freshnessSentence('stale', 14_000)).toContain('14')
    expect(ageCell('closed', 14_000)).toBe('closed')
    expect(ageCell('stale', 14_000)).toBe('14s')
  })
  it('does not call the end of a replay a lost connection, unless the window lost its terminal', () => {
    const last = row({ freshness: 'disconnected' })
    expect(shownFreshness(last, true, false)).toBe('disconnected')
    expect(shownFreshness(last, true, true)).toBe('ended')
    expect(shownFreshness(last, false, true)).toBe('disconnected')
    expect(shownFreshness(undefined, true, true)).toBe('ended')
    expect(freshnessSentence('ended', null, true)).toContain('without a message')
    expect(shownFreshness(row({ freshness: 'live' }), true, true)).toBe('live')
    expect(freshnessSentence('ended', 14_000, true)).toMatch(/^The recorded session ends here\..* 14\s/)
  })
})

describe('columns', () => {
  it('show a forex spread in pips and others in price', () => {
    expect(spreadText(row({ bid: 1.09312, ask: 1.09318, pip: 1e-4, decimals: 5 }), en)).toBe('0.6 pip')
    expect(spreadText(row({ bid: 147.2, ask: 147.209, pip: 0.01, decimals: 3 }), en)).toBe('0.9 pip')
    expect(spreadText(row({ bid: 10, ask: 10.2, decimals: 2 }), en)).toBe('0.20')
    expect(spreadText(row({ bid: 10 }), en)).toBe('\u2014')
  })
  it('are left out whole when they do not fit', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(COLUMNS)), fc.integer({ min: 150, max: 1200 }), (chosen, width) => {
        const { shown, left } = fittingColumns(chosen, width)
        expect(shown.length + left).toBe(chosen.length)
        const used = shown.reduce((sum, one) => sum + one.width, SYMBOL_WIDTH)
        if (shown.length > 1) expect(used).toBeLessThanOrEqual(width)
      }),
    )
  })
  it('grow with their numbers and never shrink', () => {
    const wide = columnWidths([COLUMNS.last], [row({ last: 64_123.5 })], en, {})
    const after = columnWidths([COLUMNS.last], [row({ last: 1 })], en, wide)
    expect(wide['last']).toBeGreaterThan(COLUMNS.last.width)
    expect(after).toEqual(wide)
  })
})

describe('typed intervals', () => {
  it.each([
    ['1', '1m'],
    ['15', '15m'],
    ['60', '1h'],
    ['240', '4h'],
    ['30s', '30s'],
    ['1D', '1D'],
    ['1d', '1D'],
    ['4H', '4h'],
    ['250ms', '250ms'],
    ['100MS', '100ms'],
    ['1000ms', '1s'],
    ['60s', '1m'],
    ['7s', '7s'],
    ['7', '7m'],
    ['45M', '45m'],
    ['120', '2h'],
    ['90', '90m'],
    ['1500ms', '1500ms'],
    ['1440', '1D'],
    ['24h', '1D'],
  ])('%s is %s', (typed, interval) => expect(parseInterval(typed)).toBe(interval))
  it.each(['', '0', '99999', 'x', '1w', '50ms', '25h', '2d', '1.5m', '-5m'])('“%s” is none', (typed) =>
    expect(parseInterval(typed)).toBeUndefined(),
  )
  it('have one label each, with their length', () => {
    expect(['7s', '90s', '2h', '1500ms', '1D'].map((label) => isInterval(label) && msOf(label))).toEqual([
      7_000, 90_000, 7_200_000, 1_500, 86_400_000,
    ])
    expect(['60s', '120m', '1d', '07s', 7].filter(isInterval)).toEqual([])
  })
  it('wait for the last letter where it could follow', () => {
    expect(['250m', '500m', '5m', '7m', '250', '25m'].map(isBegun)).toEqual([true, true, false, false, false, false])
  })
})

describe('the source pill', () => {
  let demo: StatusState
  beforeAll(async () => {
    const terminal = await WindowTerminal.start()
    demo = await terminal.read('status', { view: 'live' })
    terminal.close()
  })
  const service = (): StatusState => ({ ...demo, source: 'service', origin: 'https://data.example.com' })
  /** The same with feeds that are open in another state. */
  const change = (
    status: StatusState,
    state: FeedState,
    which: (feed: FeedId) => boolean = () => true,
  ): StatusState => ({
    ...status,
    feeds: status.feeds.map((one) => (one.state.is === 'open' && which(one.feed) ? { ...one, state } : one)),
  })

  it('says live only of a service whose feeds are all open', () => {
    expect(sourcePill(service(), true).label).toBe('LIVE')
    expect(sourcePill(demo, true).label).toBe('DEMO')
    expect(sourcePill(service(), false).label).toBe('NO LINK')
    const partly = change(service(), { is: 'connecting', attempt: 2 }, (feed) => feed === 'crypto/XQ')
    expect(sourcePill(partly, true)).toMatchObject({ label: 'LIVE 4/5', tone: 'busy' })
    expect(sourcePill(change(service(), { is: 'connecting', attempt: 1 }), true).label).toBe('CONNECTING')
  })
  it('never says demo when the demo market is away', () => {
    const stale = { is: 'stale', sinceMs: unixMs(0), lastMs: unixMs(0) } as const
    expect(sourcePill(change(demo, stale), true).label).toBe('STALE')
  })
})

describe('what is typed', () => {
  it('may be an unseen symbol of the classes whose symbols look so', () => {
    expect(unknownSymbols('tsla', []).map((hit) => hit.asset)).toEqual(['stocks'])
    expect(unknownSymbols('eurchf', []).map((hit) => hit.asset)).toEqual(['forex'])
    expect(unknownSymbols('pepe-usd', []).map((hit) => hit.asset)).toEqual(['crypto'])
    expect(unknownSymbols('<b>', [])).toEqual([])
  })
  it('is a base URL only with https, or http on this machine, and without a password', () => {
    expect(urlProblem('https://data.example.com')).toBeNull()
    expect(urlProblem('http://127.0.0.1:8080')).toBeNull()
    expect(urlProblem('http://data.example.com')).toContain('https')
    expect(urlProblem('https://me:secret@data.example.com')).toContain('from the URL')
    expect(urlProblem('data.example.com')).not.toBeNull()
  })
})

describe('zones', () => {
  it('follow the market where the setting says exchange', () => {
    expect(zoneOf('exchange', 'stocks')).toBe('America/New_York')
    expect(zoneOf('exchange', 'crypto')).toBe('UTC')
    expect(zoneOf('No/Where', 'crypto')).toBe('UTC')
  })
})

it('names the sources of sessions', () => {
  expect(sourceName('demo')).toBe('Demo market')
  expect(sourceName('service:you@https://data.example.com')).toBe('data.example.com')
  expect(sourceName('import:1234@service:you@https://data.example.com')).toBe('Imported: data.example.com')
  expect(sourceName('team:2@eu')).toBe('Team eu, shard 2')
  expect(sourceName('team:*@eu')).toBe('Team eu')
  expect(sourceName('import:june.csv@c486aa521ac77ef9')).toBe('Imported: june.csv')
})

it('tells sources of the same name apart', () => {
  const names = (...keys: string[]) => [...sourceNames(keys).values()]
  expect(names('demo', 'service:ann@https://data.example.com')).toEqual(['Demo market', 'data.example.com'])
  expect(names('service:ann@https://data.example.com', 'service:me@b.com@https://data.example.com')).toEqual([
    'data.example.com (ann)',
    'data.example.com (me@b.com)',
  ])
  expect(names('import:june.csv@c486aa521ac77ef9', 'import:june.csv@77ef9c486aa521ac')).toEqual([
    'Imported: june.csv (c486aa52)',
    'Imported: june.csv (77ef9c48)',
  ])
})
