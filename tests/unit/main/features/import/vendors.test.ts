/** Files as vendors deliver them, small: recognized without options, and imported to the digit. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { recorded, type RecordedStore } from '../export/recorded.ts'

let home: string
beforeEach(() => {
  home = makeFolder('vendors')
})
const stores: RecordedStore[] = []
afterAll(() => Promise.all(stores.map((store) => store.close())))

async function run(...args: string[]) {
  const context = commandContext({ dataDir: home })
  const code = await runCommandLine([...args, '--store', join(home, 'new.db')], context)
  return { code, out: context.output(), err: context.errors() }
}

/** Imports a file and gives what the store has of a feed: symbol, event time and values. */
async function taken(name: string, content: string | Uint8Array, feed: string, ...args: string[]): Promise<string[]> {
  const file = join(home, name)
  writeFileSync(file, content)
  const imported = await run('import', file, ...args)
  expect([imported.code, imported.err]).toEqual([0, ''])
  const { out } = await run('export', '-f', feed, '-o', '-')
  return out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [, symbol, eventTime, recvTime, , , , ...values] = line.split(',')
      return [symbol, eventTime, recvTime === eventTime ? '' : recvTime, ...values].join(' ')
    })
}
const ms = (iso: string): number => Date.parse(iso)

describe('a file of a vendor', () => {
  it.each<[string, string, string, string, string[]]>([
    [
      'Binance trades without a header',
      'BTCUSDT-trades-2024-01-15.csv',
      '3353163547,42511.10000000,0.00117000,49.73798700,1705276800004,True,True\n' +
        '3353163548,42511.11000000,0.05000000,2125.55550000,1705276800123,False,True\n',
      'crypto/XT',
      [
        'BTCUSDT 2024-01-15T00:00:00.004Z  42511.10000000 0.00117000',
        'BTCUSDT 2024-01-15T00:00:00.123Z  42511.11000000 0.05000000',
      ],
    ],
    [
      'Binance trades of 2025, in microseconds',
      'ETHUSDT-trades-2025-01-02.csv',
      '2060000001,3353.25000000,0.10000000,335.32500000,1735776000123456,True,True\n',
      'crypto/XT',
      ['ETHUSDT 2025-01-02T00:00:00.123Z  3353.25000000 0.10000000'],
    ],
    [
      'Binance futures trades with a header',
      'BTCUSDT-trades-2024-01-15.csv',
      'id,price,qty,quote_qty,time,is_buyer_maker\n4543,42500.1,0.003,127.5003,1705276800011,true\n',
      'crypto/XT',
      ['BTCUSDT 2024-01-15T00:00:00.011Z  42500.1 0.003'],
    ],
    [
      'Binance aggTrades',
      'BTCUSDT-aggTrades-2024-01-15.csv',
      '2853160546,42511.10000000,0.00117000,3353163547,3353163547,1705276800004,True,True\n',
      'crypto/XT',
      ['BTCUSDT 2024-01-15T00:00:00.004Z  42511.10000000 0.00117000'],
    ],
    [
      'Binance klines',
      'BTCUSDT-1m-2024-01-15.csv',
      '1705276800000,42511.10,42520.00,42500.00,42510.50,12.5,1705276859999,531000.1,321,6.1,259000.2,0\n',
      'crypto/XA',
      [
        `BTCUSDT 2024-01-15T00:00:00.000Z 2024-01-15T00:01:00.000Z 42511.10 42520.00 42500.00 42510.50 12.5 1705276800000 1705276860000`,
      ],
    ],
    [
      'Dukascopy ticks',
      'EURUSD_Ticks_15.01.2024-15.01.2024.csv',
      'Gmt time,Ask,Bid,AskVolume,BidVolume\n15.01.2024 00:00:00.123,1.09512,1.09508,0.9,1.2\n',
      'forex/C',
      ['EURUSD 2024-01-15T00:00:00.123Z  1.09508 1.09512'],
    ],
    [
      'Dukascopy candlesticks',
      'EURUSD_Candlestick_1_M_BID_15.01.2024-15.01.2024.csv',
      'Gmt time,Open,High,Low,Close,Volume\n15.01.2024 00:00:00.000,1.09508,1.0952,1.095,1.0951,102.3\n',
      'forex/CA',
      [
        `EURUSD 2024-01-15T00:00:00.000Z 2024-01-15T00:01:00.000Z 1.09508 1.0952 1.095 1.0951 102.3 ${ms('2024-01-15T00:00:00Z')} ${ms('2024-01-15T00:01:00Z')}`,
      ],
    ],
    [
      'Databento trades, pretty',
      'xnas-itch-20240116.trades.csv',
      'ts_recv,ts_event,rtype,publisher_id,instrument_id,action,side,depth,price,size,flags,ts_in_delta,sequence,symbol\n' +
        '2024-01-16T14:30:00.001234567Z,2024-01-16T14:30:00.001000000Z,0,2,38,T,A,0,183.160000000,100,130,234567,77,AAPL\n',
      'stocks/T',
      ['AAPL 2024-01-16T14:30:00.001Z  183.160000000 100'],
    ],
    [
      'Databento MBP-1, raw: prices in billionths, times in nanoseconds',
      'xnas.mbp-1.csv',
      'ts_recv,ts_event,rtype,publisher_id,instrument_id,action,side,depth,price,size,flags,ts_in_delta,sequence,' +
        'bid_px_00,ask_px_00,bid_sz_00,ask_sz_00,bid_ct_00,ask_ct_00,symbol\n' +
        '1705415400250000000,1705415400001000000,1,2,38,A,B,0,183150000000,200,128,1,78,183150000000,183170000000,200,300,1,2,AAPL\n' +
        '1705415400350000000,1705415400101000000,1,2,38,A,B,0,500000,200,128,1,79,500000,9223372036854775807,200,0,1,0,PENNY\n',
      'stocks/Q',
      [
        'AAPL 2024-01-16T14:30:00.001Z 2024-01-16T14:30:00.250Z 183.150000000 183.170000000 200 300',
        'PENNY 2024-01-16T14:30:00.101Z 2024-01-16T14:30:00.350Z 0.000500000  200 0',
      ],
    ],
    [
      'Databento OHLCV-1m',
      'xnas.ohlcv-1m.csv',
      'ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume,symbol\n' +
        '1705415400000000000,33,2,38,183160000000,183200000000,183100000000,183150000000,10234,AAPL\n',
      'stocks/AM',
      [
        'AAPL 2024-01-16T14:30:00.000Z 2024-01-16T14:31:00.000Z 183.160000000 183.200000000 183.100000000 183.150000000 10234 1705415400000 1705415460000',
      ],
    ],
    [
      'Polygon stock trades',
      '2024-01-16.csv',
      'ticker,conditions,correction,exchange,id,participant_timestamp,price,sequence_number,sip_timestamp,size,tape,trf_id,trf_timestamp\n' +
        'A,"12,37",0,11,1,1705395720000000000,131.02,1893,1705395720005000000,5,1,0,0\n',
      'stocks/T',
      ['A 2024-01-16T09:02:00.000Z 2024-01-16T09:02:00.005Z 131.02 5'],
    ],
    [
      'Polygon stock quotes',
      '2024-01-16.csv',
      'ticker,ask_exchange,ask_price,ask_size,bid_exchange,bid_price,bid_size,conditions,indicators,participant_timestamp,sequence_number,sip_timestamp,tape,trf_timestamp\n' +
        'A,11,131.1,2,12,131,1,1,,1705395720000000000,7,1705395720001000000,1,0\n',
      'stocks/Q',
      ['A 2024-01-16T09:02:00.000Z 2024-01-16T09:02:00.001Z 131 131.1 1 2'],
    ],
    [
      'Polygon crypto trades: the symbol says the market',
      '2024-01-16.csv',
      'ticker,conditions,exchange,id,participant_timestamp,price,size\nX:BTC-USD,2,1,581,1705395720000000000,42811.5,0.01\n',
      'crypto/XT',
      ['X:BTC-USD 2024-01-16T09:02:00.000Z  42811.5 0.01'],
    ],
    [
      'Polygon minute aggregates',
      '2024-01-16.csv',
      'ticker,volume,open,close,high,low,window_start,transactions\nAAPL,4930,183.2,183.3,183.4,183.1,1705415400000000000,129\n',
      'stocks/AM',
      [
        'AAPL 2024-01-16T14:30:00.000Z 2024-01-16T14:31:00.000Z 183.2 183.4 183.1 183.3 4930 1705415400000 1705415460000',
      ],
    ],
  ])('%s is imported without options', async (_, name, content, feed, rows) => {
    expect(await taken(name, content, feed)).toEqual(rows)
  })

  it('may be packed with gzip, as Massive delivers it', async () => {
    const csv =
      'ticker,conditions,exchange,id,participant_timestamp,price,size\nX:BTC-USD,2,1,581,1705395720000000000,42811.5,0.01\n'
    expect(await taken('2024-01-16.csv.gz', gzipSync(csv), 'crypto/XT')).toHaveLength(1)
    writeFileSync(join(home, 'cut.csv.gz'), gzipSync(csv).subarray(0, 60))
    const cut = await run('import', join(home, 'cut.csv.gz'), '--feed', 'crypto/XT')
    expect([cut.code, cut.err]).toEqual([1, expect.stringContaining('Couldn’t unpack the file')])
  })

  it('is refused with the preset of another, and an unknown one', async () => {
    writeFileSync(join(home, 'a.csv'), 'time,price\n2024-01-15T00:00:00Z,1\n')
    const wrong = await run('import', join(home, 'a.csv'), '--preset', 'binance-trades')
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('doesn’t have the columns of binance-trades')])
    const unknown = await run('import', join(home, 'a.csv'), '--preset', 'acme')
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('--preset takes one of binance-')])
  })
})

describe('our own files', () => {
  const items: Item[] = [
    { conn: 1, data: tradeText("'=1+1", '61837.63', '0.02', T0 + 1), recvMs: T0 + 9 },
    { conn: 1, data: tradeText('BTC-USD', '100.5', '2', T0 + 60_000), recvMs: T0 + 60_010 },
    { conn: 1, data: tradeText('BTC-USD', '101.5', '1', T0 + 60_500), recvMs: T0 + 60_510 },
    { conn: 2, data: quoteText('BTC-USD', '1.5', '1.25', T0 + 61_000), recvMs: T0 + 61_000 },
  ]
  async function exported(name: string, ...args: string[]): Promise<string> {
    const store = await recorded([items], { feeds: ['crypto/XT', 'crypto/XQ'] })
    stores.push(store)
    const file = join(store.path, name)
    const context = commandContext({ dataDir: store.path })
    expect(
      await runCommandLine(['export', '--store', store.file, '-f', 'crypto/XT', '-o', file, ...args], context),
    ).toBe(0)
    return file
  }

  it.each([
    ['schema 2', ['--schema', '2']],
    ['schema 2 with messages', ['--raw']],
    ['schema 1', ['--schema', '1']],
  ])('Parquet of ticks comes back: %s', async (_, args) => {
    const parquet = await exported('t.parquet', ...args)
    const csv = await exported('t.csv', ...args)
    expect(await run('import', parquet)).toMatchObject({ code: 0, err: '' })
    const again = await run('export', '-f', 'crypto/XT', '-o', join(home, 'again.csv'), ...args)
    expect(again.code).toBe(0)
    expect(readFileSync(join(home, 'again.csv'), 'utf8')).toBe(readFileSync(csv, 'utf8'))
  })

  it.each([
    ['CSV', 'b.csv', []],
    ['Parquet', 'b.parquet', []],
    ['CSV of schema 1, whose manifest names the feed', 'b.csv', ['--schema', '1']],
    ['CSV of schema 1 with the feed', 'b.csv', ['--schema', '1', '--extended']],
  ])('bars come back as bars of the service: %s', async (_, name, args) => {
    const file = await exported(name, '--what', 'bars', '--symbol', 'BTC-USD', ...args)
    expect(await run('import', file)).toMatchObject({ code: 0, err: '' })
    const { out } = await run('export', '-f', 'crypto/XA', '--what', 'bars', '-o', '-')
    const start = Math.floor((T0 + 60_000) / 60_000) * 60_000
    expect(out.split('\n')[1]).toMatch(
      new RegExp(`^crypto/XA,BTC-USD,1m,service,[^,]+,${start},${start + 60_000},100.5,101.5,100.5,101.5,3,,`),
    )
    // Known when it ended, not before.
    const ticks = await run('export', '-f', 'crypto/XA', '-o', '-')
    expect(ticks.out.split('\n')[1]?.split(',')[5]).toBe(String(start + 60_000))
  })

  it('that are no Parquet but claim to be are refused', async () => {
    writeFileSync(join(home, 'x.parquet'), 'PAR1 nothing')
    const { code, err } = await run('import', join(home, 'x.parquet'), '--feed', 'crypto/XT')
    expect([code, err]).toEqual([1, expect.stringContaining('as Parquet. Check that the file is complete.')])
  })

  it.each([
    ['a CSV', 't.csv', ['--feed', 'crypto/XQ', '--symbol', 'ETH-USD'], 'an export of Tapedeck', '--feed and --symbol'],
    ['Parquet', 't.parquet', ['--zone', 'Europe/Berlin'], 'an export of Tapedeck', '--zone'],
    ['JSON Lines', 't.jsonl', ['--map', 'price=price'], 'an export of Tapedeck', '--map'],
    ['a CSV', 't.csv', ['--preset', 'binance-trades'], 'an export of Tapedeck', '--preset'],
  ])('%s takes no options for tables', async (_, name, args, what, options) => {
    const { code, err } = await run('import', await exported(name), ...args)
    expect([code, err]).toEqual([
      2,
      `tapedeck: ${name} is ${what} and says itself what it holds: import it without ${options}. See tapedeck import --help.\n`,
    ])
    expect((await run('sessions')).out).toBe('')
  })

  it('are imported only if the options suit each of them', async () => {
    writeFileSync(join(home, 'a.csv'), 'time,symbol,price\n2024-01-15T00:00:00Z,A,1\n')
    const { code } = await run('import', join(home, 'a.csv'), await exported('t.csv'), '--feed', 'crypto/XT')
    expect([code, (await run('sessions')).out]).toEqual([2, ''])
  })

  it('are imported once, and again differently only after they were deleted', async () => {
    const file = await exported('t.csv')
    expect((await run('import', file)).code).toBe(0)
    const { code, err } = await run('import', file)
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/is already in the store, as session .* delete that session/),
    ])
  })
})
