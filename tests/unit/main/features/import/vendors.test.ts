/** Files as vendors deliver them, small: recognized without options, and imported to the digit. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { kindOfText } from '../../../../../src/main/features/import/kinds.ts'
import { toFailure } from '../../../../../src/shared/base/errors.ts'
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
      'Binance futures aggTrades without a header',
      'BTCUSDT-aggTrades-2021-01-15.csv',
      '467394122,39120.13,0.031,756838400,756838402,1610668800004,true\n',
      'crypto/XT',
      ['BTCUSDT 2021-01-15T00:00:00.004Z  39120.13 0.031'],
    ],
    [
      'Binance futures trades without a header',
      'BTCUSDT-trades-2021-01-15.csv',
      '467394122,39120.13,0.031,1212.72403,1610668800004,true\n',
      'crypto/XT',
      ['BTCUSDT 2021-01-15T00:00:00.004Z  39120.13 0.031'],
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
      'Dukascopy candlesticks in local time',
      'EURUSD_Candlestick_1_M_BID_15.01.2024-15.01.2024.csv',
      'Local time,Open,High,Low,Close,Volume\n15.01.2024 01:00:00.000 GMT+0100,1.09508,1.0952,1.095,1.0951,102.3\n',
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
      'ticker,volume,open,close,high,low,window_start,transactions\nAAPL,4930,183.2,183.3,183.4,183.1,1705415400000000000,129\n' +
        'AAPL,10,183.3,183.3,183.3,183.3,1705415460000000000,1\n',
      'stocks/AM',
      [
        'AAPL 2024-01-16T14:30:00.000Z 2024-01-16T14:31:00.000Z 183.2 183.4 183.1 183.3 4930 1705415400000 1705415460000',
        'AAPL 2024-01-16T14:31:00.000Z 2024-01-16T14:32:00.000Z 183.3 183.3 183.3 183.3 10 1705415460000 1705415520000',
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

  /** Dukascopy's, as many and as long as this. */
  const candles = (count: number, seconds: number): string =>
    Array.from({ length: count }, (_, i) => {
      const time = new Date(ms('2024-01-15T00:05:00Z') + i * seconds * 1000).toISOString().slice(11, 23)
      return `15.01.2024 ${time},1.1,1.2,1,1.15,102.3\n`
    }).reduce((text, row) => text + row, 'Gmt time,Open,High,Low,Close,Volume\n')

  const databento = 'ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume,symbol\n'
  const polygon = 'ticker,volume,open,close,high,low,window_start,transactions\n'
  it.each([
    [
      'Binance klines of an hour',
      'BTCUSDT-1h-2024-01.csv',
      '1705276800000,42511.10,42520,42500,42510.50,12.5,1705280399999,531000.1,321,6.1,259000.2,0\n',
    ],
    [
      'Binance klines of five minutes, in microseconds',
      'BTCUSDT-5m-2025-01.csv',
      '1735776000000000,42511.10,42520,42500,42510.50,12.5,1735776299999999,531000.1,321,6.1,259000.2,0\n',
    ],
    [
      'Dukascopy candlesticks of a day',
      'EURUSD_Candlestick_1_D_BID_01.01.2024-05.01.2024.csv',
      'Gmt time,Open,High,Low,Close,Volume\n01.01.2024 00:00:00.000,1.1,1.2,1,1.15,102.3\n',
    ],
    ['Databento OHLCV-1d', 'a.csv', `${databento}1705363200000000000,35,2,38,183160000000,1,1,1,10234,AAPL\n`],
    [
      'Polygon day aggregates',
      '2024-01-16.csv',
      `${polygon}AAPL,4930,183,183,184,182,1705381200000000000,9\nMSFT,10,380,381,382,379,1705381200000000000,9\n`,
    ],
    ['Dukascopy candlesticks of five minutes under another name', 'eurusd.csv', candles(10, 300)],
    ['Dukascopy candlesticks of ten seconds under another name', 'eurusd.csv', candles(10, 10)],
  ])('that has bars of another length is refused: %s', async (_, name, content) => {
    writeFileSync(join(home, name), content)
    const { code, err } = await run('import', join(home, name))
    expect([code, err]).toEqual([2, expect.stringContaining(`the bars of ${name} aren’t of one minute or one second`)])
    expect((await run('sessions')).out).toBe('')
  })

  it.each([
    [
      'Binance klines',
      'BTCUSDT-1s-2025-01-02.csv',
      '1735776000000000,42511.1,42520,42500,42510.5,12.5,1735776000999999,531000.1,321,6.1,259000.2,0\n',
      'crypto/XAS',
    ],
    ['Dukascopy candlesticks under another name', 'EURUSD_a.csv', candles(3, 1), 'forex/CAS'],
    ['Databento', 'a.csv', `${databento}1705363200000000000,32,2,38,183160000000,1,1,1,10234,AAPL\n`, 'stocks/A'],
  ])('may have bars of a second: %s', async (_, name, content, feed) => {
    const [row = ''] = await taken(name, content, feed)
    const [start, end] = row.split(' ').slice(-2).map(Number)
    expect(end - start).toBe(1000)
  })

  it('that doesn’t say how long its bars are has minutes, and import says that it assumes so', async () => {
    writeFileSync(join(home, 'EURUSD_a.csv'), candles(2, 300))
    const { code, err } = await run('import', join(home, 'EURUSD_a.csv'))
    expect([code, err]).toEqual([
      0,
      'tapedeck: EURUSD_a.csv doesn’t say how long its bars are: they are taken for minutes.\n',
    ])
    const { out } = await run('sessions', '--json')
    expect(out).toContain('It doesn’t say how long its bars are: they were taken for minutes.')
    writeFileSync(join(home, 'EURUSD_b.csv'), candles(2, 60))
    expect((await run('import', join(home, 'EURUSD_b.csv'))).err).toBe('')
  })

  it.each([
    ['one that begins within a minute', '05', 1, 1],
    ['a few within a minute', '00', 2, 10],
  ])(
    'that doesn’t say how long its bars are has seconds if minutes can’t be: %s',
    async (_, second, count, seconds) => {
      const rows = candles(count, seconds).replaceAll('00:05:00', `00:05:${second}`)
      writeFileSync(join(home, 'EURUSD_a.csv'), rows)
      const { code, err } = await run('import', join(home, 'EURUSD_a.csv'))
      expect([code, err]).toEqual([
        0,
        'tapedeck: EURUSD_a.csv doesn’t say how long its bars are: they are taken for seconds.\n',
      ])
      const { out } = await run('sessions', '--json')
      expect(out).toContain('It doesn’t say how long its bars are: they were taken for seconds.')
    },
  )

  it('says nothing of a length that it assumed if another feed was chosen', async () => {
    writeFileSync(join(home, 'EURUSD_a.csv'), candles(2, 300))
    expect(await run('import', join(home, 'EURUSD_a.csv'), '--feed', 'forex/CAS')).toMatchObject({ code: 0, err: '' })
    expect((await run('sessions', '--json')).out).not.toContain('how long its bars are')
  })

  it('that marks canceled and corrected trades is imported without them, and says so', async () => {
    const file = join(home, '2024-01-16.csv')
    const row = (correction: string, at: number) =>
      `A,12,${correction},11,1,17053957200${at}0000000,131.02,1893,1705395720005000000,5,1,0,0\n`
    writeFileSync(
      file,
      'ticker,conditions,correction,exchange,id,participant_timestamp,price,sequence_number,sip_timestamp,size,tape,trf_id,trf_timestamp\n' +
        ['0', '8', '', '10', '1', '00', '12', 'N'].map((correction, i) => row(correction, i)).join(''),
    )
    const { code, out: imported, err } = await run('import', file)
    expect([code, imported, err.split('\n')]).toEqual([
      0,
      expect.stringContaining('5 messages'),
      [
        'tapedeck: 2024-01-16.csv, line 3: it is canceled, or cancels or corrects another trade (correction 8)',
        'tapedeck: 2024-01-16.csv, line 5: it is canceled, or cancels or corrects another trade (correction 10)',
        'tapedeck: 2024-01-16.csv, line 8: it is canceled, or cancels or corrects another trade (correction 12)',
        'tapedeck: 2024-01-16.csv: skipped 3 lines.',
        '',
      ],
    ])
    const { out } = await run('sessions', '--json')
    expect(out).toContain('3 lines were skipped.')
    home = makeFolder('corrected')
    const all = await run('import', file, '--map', 'correction=none')
    expect([all.code, all.err, all.out]).toEqual([0, '', expect.stringContaining('8 messages')])
  })

  it('that has orders, not only trades, is not read as trades', async () => {
    writeFileSync(
      join(home, 'mbo.csv'),
      'ts_recv,ts_event,rtype,publisher_id,instrument_id,action,side,price,size,channel_id,order_id,flags,ts_in_delta,sequence,symbol\n' +
        '1705415400250000000,1705415400001000000,160,2,38,A,B,183150000000,200,0,5551,128,1,78,AAPL\n',
    )
    const { code, err } = await run('import', join(home, 'mbo.csv'))
    expect([code, err]).toEqual([2, expect.stringContaining('name the feed of its rows with --feed')])
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

  it('whose lines would be thousands of sessions are refused before anything is written', async () => {
    const line = '{"feed":"crypto/XT","symbol":"A","recv_ms":1705276800000,"seq":1,"raw":"{}"}\n'
    writeFileSync(join(home, 'many.jsonl'), line.repeat(5_001))
    const { code, err } = await run('import', join(home, 'many.jsonl'))
    expect([code, err]).toEqual([1, expect.stringContaining('has messages of more than 5000 sessions')])
    expect((await run('sessions')).out).toBe('')
  })

  it('whose Parquet says nonsense about itself are refused, whatever byte is wrong', async () => {
    const good = readFileSync(await exported('b.parquet', '--what', 'bars'))
    const path = join(home, 'bad.parquet')
    const outcomes = new Set<unknown>()
    for (let at = good.length - 8 - good.readUInt32LE(good.length - 8); at < good.length; at++) {
      const bad = Buffer.from(good)
      bad[at] = 0xff
      writeFileSync(path, bad)
      outcomes.add(
        await kindOfText(path).then(
          ({ is }) => is,
          (thrown: unknown) => toFailure(thrown).code,
        ),
      )
    }
    expect(outcomes).toEqual(new Set(['table', 'bad-file']))
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
