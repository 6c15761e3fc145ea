import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { FEED_IDS, unixMs } from '../../../../../src/shared/base/units.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { recorded, type RecordedStore } from '../export/recorded.ts'

let store: RecordedStore
beforeAll(async () => {
  const trade = (i: number, symbol: string): Item => ({
    conn: 1,
    data: tradeText(symbol, 100 + i, 1, T0 + i),
    recvMs: T0 + i,
  })
  store = await recorded(
    [
      [
        { conn: 1, data: '{"type":"subscribed","tickers":["BTC-USD"]}', flags: 4, recvMs: T0 },
        trade(1, 'BTC-USD'),
        trade(2, 'X:BTC-USD'),
        {
          entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0 + 3) },
          wallMs: T0 + 3,
        },
        { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 4 }, wallMs: T0 + 2_003 },
        { conn: 2, data: quoteText('BTC-USD', '1', '2', T0 + 4), recvMs: T0 + 3_000 },
      ],
      [trade(3_600_005, 'ETH-USD')],
    ],
    { feeds: ['crypto/XT', 'crypto/XQ'] },
  )
})
afterAll(() => store.close())

async function run(
  ...args: string[]
): Promise<{ code: number; out: string; json: Record<string, unknown>[]; err: string }> {
  const context = commandContext({ dataDir: store.path })
  const code = await runCommandLine([...args, '--store', store.file], context)
  const out = context.output()
  const json = args.includes('--json')
    ? out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : []
  return { code, out, json, err: context.errors() }
}
const iso = (ms: number): string => new Date(ms).toISOString()

describe('symbols', () => {
  it('lists each instrument once, with its aliases, messages and times', async () => {
    const { code, json } = await run('symbols', '--json')
    expect(code).toBe(0)
    expect(json).toEqual([
      {
        schema: 'tapedeck/symbol/1',
        feed: 'crypto/XQ',
        symbol: 'BTC-USD',
        aliases: ['BTC-USD'],
        instrument: 'crypto:BTCUSD',
        source: 'demo',
        messages: 1,
        from: iso(T0 + 4),
        to: iso(T0 + 4),
      },
      {
        schema: 'tapedeck/symbol/1',
        feed: 'crypto/XT',
        symbol: 'X:BTC-USD',
        aliases: ['BTC-USD', 'X:BTC-USD'],
        instrument: 'crypto:BTCUSD',
        source: 'demo',
        messages: 2,
        from: iso(T0 + 1),
        to: iso(T0 + 2),
      },
      expect.objectContaining({ feed: 'crypto/XT', symbol: 'ETH-USD', messages: 1 }),
    ])
  })

  it('takes a feed and a session', async () => {
    const { json } = await run('symbols', '--json', '-f', 'crypto/XT', '--session', 'latest')
    expect(json).toMatchObject([{ symbol: 'ETH-USD' }])
    expect((await run('symbols', '-f', 'crypto/ZZ')).code).toBe(2)
    expect((await run('symbols', '-f', 'forex/CA')).err).toBe(
      'No symbols of forex/CA are stored. Stored: crypto/XQ, crypto/XT.\n',
    )
    expect((await run('symbols')).out.split('\n')[0]).toBe(
      'feed       symbol     messages  from                      to                        source',
    )
  })
})

it('feeds lists all of them, and what is stored', async () => {
  const { json } = await run('feeds', '--json')
  expect(json.map(({ feed }) => feed)).toEqual(FEED_IDS)
  expect(json.find(({ feed }) => feed === 'crypto/XT')).toMatchObject({ kind: 'trade', sessions: 2, messages: 4 })
  const context = commandContext({ dataDir: '/nowhere' })
  expect(await runCommandLine(['feeds', '--store', '/nowhere/none.db'], context)).toBe(0)
})

describe('stats', () => {
  it('adds up sessions and feeds', async () => {
    const { json } = await run('stats', '--json')
    expect(json).toMatchObject([
      {
        schema: 'tapedeck/stats/1',
        sessions: 2,
        messages: 5,
        started: iso(T0),
        feeds: [
          { feed: 'crypto/XQ', messages: 1, market: 1, gap_count: 0, gap_seconds: 0 },
          {
            feed: 'crypto/XT',
            sessions: 2,
            messages: 4,
            market: 3,
            control: 1,
            undecodable: 0,
            gap_count: 1,
            gap_seconds: 2,
          },
        ],
      },
    ])
  })

  it('is of one session, and needs one', async () => {
    expect((await run('stats', '--json', '--session', 'latest')).json).toMatchObject([{ sessions: 1, messages: 1 }])
    expect((await run('stats')).out).toMatch(/^sessions +2\n/)
    expect((await run('stats', '--session', 'zz')).code).toBe(1)
  })
})
