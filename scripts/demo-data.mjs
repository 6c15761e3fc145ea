// Builds resources/demo from a folder of public market data. Maintainers run it once after the data
// changed: node scripts/demo-data.mjs DATA_FOLDER. Users never need it; its output is committed.
//
// A tape is brotli over: u32 LE length of a JSON header, the header, then its columns in the order
// that the header names them, each u32 LE length + LEB128 varints (zigzag where a value has a sign).
// Event i: `dt` ms since event i-1; `kind` 0 trade, 1 quote. Trades take the next `price` (zigzag
// delta to the last trade, in ticks) and `size` (lots). Quotes take the next `bid` (zigzag delta),
// `spread` (ticks) and, where the tape has them, `bidSize` and `askSize`.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'

const [from] = process.argv.slice(2)
if (!from) {
  process.stderr.write('usage: node scripts/demo-data.mjs DATA_FOLDER\n')
  process.exit(2)
}
const out = path.join(import.meta.dirname, '..', 'resources', 'demo')
rmSync(out, { recursive: true, force: true })
mkdirSync(path.join(out, 'licences'), { recursive: true })

const at = (...parts) => path.join(from, ...parts)
const json = (...parts) => JSON.parse(readFileSync(at(...parts), 'utf8'))
const unxz = (file) => execFileSync('xz', ['-dc', file], { maxBuffer: 1 << 30 })

/** The first file of a zip archive. */
function unzip(file) {
  const bytes = readFileSync(file)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - 22
  while (view.getUint32(end, true) !== 0x06054b50) end--
  const central = view.getUint32(end + 16, true)
  const method = view.getUint16(central + 10, true)
  const packed = view.getUint32(central + 20, true)
  const local = view.getUint32(central + 42, true)
  const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
  const body = bytes.subarray(start, start + packed)
  return (method === 0 ? body : zlib.inflateRawSync(body)).toString('latin1')
}
const rows = (text) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(','))

function column() {
  const bytes = []
  return {
    bytes,
    unsigned(value) {
      if (!Number.isInteger(value) || value < 0) throw new RangeError(`not a count: ${value}`)
      let rest = value
      while (rest >= 128) {
        bytes.push((rest % 128) | 128)
        rest = Math.floor(rest / 128)
      }
      bytes.push(rest)
    },
    signed(value) {
      this.unsigned(value < 0 ? -2 * value - 1 : 2 * value)
    },
  }
}
const u32 = (n) => {
  const b = Buffer.alloc(4)
  b.writeUInt32LE(n)
  return b
}

/** Events `{ms, trade: [price, size]}` or `{ms, quote: [bid, ask, bidSize?, askSize?]}` in ticks and lots. */
function writeTape(name, header, events) {
  const sized = events.some((e) => e.quote?.length === 4)
  const names = ['dt', 'kind', 'price', 'size', 'bid', 'spread', ...(sized ? ['bidSize', 'askSize'] : [])]
  const columns = Object.fromEntries(names.map((n) => [n, column()]))
  let ms = events[0].ms
  let lastPrice = 0
  let lastBid = 0
  for (const event of events) {
    columns.dt.unsigned(event.ms - ms)
    ms = event.ms
    if (event.trade) {
      columns.kind.unsigned(0)
      columns.price.signed(event.trade[0] - lastPrice)
      columns.size.unsigned(event.trade[1])
      lastPrice = event.trade[0]
    } else {
      columns.kind.unsigned(1)
      const [bid, ask, bidSize, askSize] = event.quote
      columns.bid.signed(bid - lastBid)
      columns.spread.unsigned(ask - bid)
      lastBid = bid
      if (sized) {
        columns.bidSize.unsigned(bidSize)
        columns.askSize.unsigned(askSize)
      }
    }
  }
  const full = {
    ...header,
    events: events.length,
    trades: events.filter((e) => e.trade).length,
    durationMs: ms - events[0].ms + 1,
    columns: names,
  }
  const head = Buffer.from(JSON.stringify(full))
  const raw = Buffer.concat([
    u32(head.length),
    head,
    ...names.flatMap((n) => [u32(columns[n].bytes.length), Buffer.from(columns[n].bytes)]),
  ])
  const packed = zlib.brotliCompressSync(raw, {
    params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: raw.length },
  })
  writeFileSync(path.join(out, `${name}.tape.br`), packed)
  process.stdout.write(`${name}: ${events.length} events, ${full.durationMs} ms, ${packed.length} bytes\n`)
}

function binance(file, sizeDecimals) {
  const events = []
  for (const line of zlib.gunzipSync(readFileSync(file)).toString('utf8').split('\n')) {
    if (!line.includes('@trade"') && !line.includes('@bookTicker"')) continue
    const space = line.indexOf(' ')
    const ms = Math.floor(Number(line.slice(0, space - 6)))
    const { data } = JSON.parse(line.slice(space + 1))
    if (data.e === 'trade')
      events.push({ ms, trade: [Math.round(data.p * 100), Math.round(data.q * 10 ** sizeDecimals)] })
    else events.push({ ms, quote: [Math.round(data.b * 100), Math.round(data.a * 100)] })
  }
  return events
}
const binanceNote = 'Binance spot, trades and best bid/ask, 2024-08-08 23:54 UTC on'
for (const [name, symbol, file, sizeDecimals] of [
  ['btc-usd', 'BTC-USD', 'btcusdt_20240808.gz', 5],
  ['eth-usd', 'ETH-USD', 'ethusdt_20240808.gz', 4],
])
  writeTape(
    name,
    { asset: 'crypto', symbol, decimals: 2, sizeDecimals, pace: 1, source: binanceNote },
    binance(at('hftbacktest', 'spot', file), sizeDecimals),
  )

for (const pair of ['eurusd', 'nzdusd'])
  writeTape(
    pair,
    {
      asset: 'forex',
      symbol: pair.toUpperCase(),
      decimals: 5,
      sizeDecimals: 0,
      // the source holds a tick every three seconds: played eight times as fast, it is as busy as today's feeds
      pace: 8,
      source: 'Oanda quotes of 2014-05-05, 06:00 to 17:00 UTC',
    },
    rows(unzip(at('lean', 'forex', 'oanda', 'tick', pair, '20140505_quote.zip')))
      // the busy hours, so that the demo is never dull
      .filter(([ms]) => Number(ms) >= 21_600_000 && Number(ms) < 61_200_000)
      .map(([ms, bid, ask]) => ({
        ms: Math.floor(Number(ms)),
        quote: [Math.round(bid * 1e5), Math.round(ask * 1e5)],
      })),
  )

const session = ([ms]) => Number(ms) >= 34_200_000 && Number(ms) < 57_600_000
/** Trades of the regular session, in cents; prints marked suspicious or far off the last one are left out. */
function stockTrades(symbol) {
  let last = 0
  const events = []
  for (const row of rows(unzip(at('lean', 'equity', 'usa', 'tick', symbol, '20131007_trade.zip'))).filter(session)) {
    const cents = Math.round(Number(row[1]) / 100)
    if (row[5] !== '0' || Number(row[2]) <= 0 || (last && Math.abs(cents - last) > last * 0.001)) continue
    last = cents
    events.push({ ms: Number(row[0]), trade: [cents, Number(row[2])] })
  }
  return events
}
/** Best bid and ask out of one-sided rows, after each ask that changed something; crossed and wide ones left out. */
function stockQuotes(symbol) {
  let bid = 0
  let bidSize = 0
  let before = ''
  const events = []
  for (const row of rows(unzip(at('lean', 'equity', 'usa', 'tick', symbol, '20131007_quote.zip'))).filter(session)) {
    const [ms, b, bs, a, as, , , suspicious] = row.map((x) => Number(x))
    if (suspicious) continue
    if (b) [bid, bidSize] = [Math.round(b / 100), bs]
    if (!a) continue
    const ask = Math.round(a / 100)
    const now = [bid, ask, bidSize, as]
    if (!bid || bid >= ask || ask - bid > 20 || now.join() === before) continue
    before = now.join()
    events.push({ ms, quote: now })
  }
  return events
}
const stock = { asset: 'stocks', decimals: 2, sizeDecimals: 0, pace: 1 }
writeTape(
  'spy',
  { ...stock, symbol: 'SPY', source: 'SPY trades of 2013-10-07, 09:30 to 16:00 New York' },
  stockTrades('spy'),
)
writeTape(
  'ibm',
  { ...stock, symbol: 'IBM', source: 'IBM trades and quotes of 2013-10-07, 09:30 to 16:00 New York' },
  [...stockTrades('ibm'), ...stockQuotes('ibm')].sort((x, y) => x.ms - y.ms),
)

/** The last `count` days as columns; prices in ten-thousandths of a dollar, as the source has them. */
function daily(symbol, count) {
  const last = rows(unzip(at('lean', 'equity', 'usa', 'daily', `${symbol}.zip`))).slice(-count)
  const pick = (i) => last.map((row) => Number(row[i]))
  return {
    date: last.map((row) => row[0].slice(0, 8)),
    open: pick(1),
    high: pick(2),
    low: pick(3),
    close: pick(4),
    volume: pick(5),
  }
}

/** Quarters of a flow tag by period end, latest filing first; the fourth is the year less the other three. */
function quarters(facts, tags, unit) {
  const byPeriod = new Map()
  for (const tag of tags)
    for (const fact of facts[tag]?.units[unit] ?? []) {
      const key = `${fact.start}/${fact.end}`
      const old = byPeriod.get(key)
      if (!old || old.filed < fact.filed) byPeriod.set(key, fact)
    }
  const days = (f) => (Date.parse(f.end) - Date.parse(f.start)) / 86_400_000
  const all = [...byPeriod.values()]
  const found = new Map(all.filter((f) => days(f) > 80 && days(f) < 100).map((f) => [f.end, f.val]))
  const years = all.filter((f) => days(f) > 350 && days(f) < 380)
  for (const year of years) {
    const nine = all.find((f) => f.start === year.start && days(f) > 260 && days(f) < 285)
    if (!found.has(year.end) && nine) found.set(year.end, year.val - nine.val)
  }
  return { quarter: found, year: new Map(years.map((f) => [f.end, f.val])) }
}
const facts = JSON.parse(unxz(at('sec-edgar', 'companyfacts_AAPL_CIK0000320193.json.xz')))['facts']['us-gaap']
const flow = (unit, ...tags) => quarters(facts, tags, unit)
const parts = {
  revenue: flow('USD', 'RevenueFromContractWithCustomerExcludingAssessedTax', 'Revenues', 'SalesRevenueNet'),
  gross: flow('USD', 'GrossProfit'),
  operating: flow('USD', 'OperatingIncomeLoss'),
  net: flow('USD', 'NetIncomeLoss'),
  basic: flow('USD/shares', 'EarningsPerShareBasic'),
  diluted: flow('USD/shares', 'EarningsPerShareDiluted'),
  sharesBasic: flow('shares', 'WeightedAverageNumberOfSharesOutstandingBasic'),
  sharesDiluted: flow('shares', 'WeightedAverageNumberOfDilutedSharesOutstanding'),
}
function statements(kind) {
  const list = []
  for (const end of [...parts.revenue[kind].keys()].sort().reverse()) {
    const value = (name) => parts[name][kind].get(end)
    // only flows may be taken as year less nine months: an average of shares may not
    const netOf = value('net')
    const shares = (name, eps) => {
      const filed = value(name)
      const perShare = value(eps)
      return filed > 5e8 ? filed : perShare ? Math.round(netOf / perShare) : undefined
    }
    const round = (n) => (n === undefined ? undefined : Math.round(n * 100) / 100)
    const row = {
      end,
      revenue: value('revenue'),
      gross: value('gross'),
      operating: value('operating'),
      net: netOf,
      basic: round(value('basic')),
      diluted: round(value('diluted')),
      sharesBasic: shares('sharesBasic', 'basic'),
      sharesDiluted: shares('sharesDiluted', 'diluted'),
    }
    if (Object.values(row).every((v) => v !== undefined && !Number.isNaN(v))) list.push(row)
  }
  return list
}

const fmp = (folder, file = '_symbol=AAPL.json') => json('fmp4j', 'stable', folder, file)
// texts and pictures of the vendor stay out: the simulator writes its own
const profile = { ...fmp('profile')[0] }
delete profile.description
delete profile.image
const reference = {
  quarters: statements('quarter'),
  years: statements('year'),
  income: fmp('income-statement'),
  incomeQuarters: fmp('income-statement', '_symbol=AAPL&period=quarter&limit=3.json'),
  balance: fmp('balance-sheet-statement'),
  balanceQuarters: fmp('balance-sheet-statement', '_symbol=AAPL&period=quarter&limit=3.json'),
  cash: fmp('cash-flow-statement'),
  cashQuarters: fmp('cash-flow-statement', '_symbol=AAPL&period=quarter&limit=3.json'),
  ratios: fmp('ratios'),
  ratiosTtm: fmp('ratios-ttm'),
  metrics: fmp('key-metrics'),
  growth: fmp('financial-growth', '_symbol=AAPL&period=annual&limit=2.json'),
  enterpriseValues: fmp('enterprise-values', '_symbol=AAPL&period=annual&limit=3.json'),
  earnings: fmp('earnings'),
  profile,
  daily: Object.fromEntries(['spy', 'ibm', 'aapl'].map((s) => [s.toUpperCase(), daily(s, 750)])),
}
const packed = zlib.brotliCompressSync(Buffer.from(JSON.stringify(reference)))
writeFileSync(path.join(out, 'reference.json.br'), packed)
process.stdout.write(`reference: ${reference.quarters.length} quarters, ${packed.length} bytes\n`)

for (const [source, name] of [
  [['hftbacktest', 'LICENSE'], 'hftbacktest-MIT.txt'],
  [['lean', 'LICENSE'], 'lean-Apache-2.0.txt'],
  [['fmp4j', 'LICENSE'], 'fmp4j-MIT.txt'],
  [['sec-edgar', 'LICENSE-edgartools.txt'], 'edgartools-MIT.txt'],
]) {
  copyFileSync(at(...source), path.join(out, 'licences', name))
  // sources may be read-only; the copies are ours to rebuild
  execFileSync('chmod', ['u+w', path.join(out, 'licences', name)])
}
writeFileSync(
  path.join(out, 'ATTRIBUTION.md'),
  `# Where the demo market's data comes from

Real records from public sources, packed by \`scripts/demo-data.mjs\`. Their licenses are in \`licences/\`.

| file | what | source | license |
| --- | --- | --- | --- |
| \`btc-usd.tape.br\`, \`eth-usd.tape.br\` | BTCUSDT and ETHUSDT trades and best bid/ask of Binance spot, 2024-08-08 23:54 to 24:00 UTC (shown as BTC-USD and ETH-USD) | GitHub nkaz001/hftbacktest, commit 5f3ec40b, \`examples/spot\` | MIT |
| \`eurusd.tape.br\`, \`nzdusd.tape.br\` | Oanda quotes of 2014-05-05, 06:00 to 17:00 UTC | GitHub QuantConnect/Lean, commit 24863901, \`Data/forex/oanda/tick\` | Apache-2.0 |
| \`spy.tape.br\`, \`ibm.tape.br\` | SPY trades, IBM trades and quotes of 2013-10-07, 09:30 to 16:00 New York (AlgoSeek) | GitHub QuantConnect/Lean, commit 24863901, \`Data/equity/usa/tick\` | Apache-2.0 |
| \`reference.json.br\`: \`daily\` | last 750 daily bars of SPY, IBM and AAPL to 2021-03-31 | GitHub QuantConnect/Lean, commit 24863901, \`Data/equity/usa/daily\` | Apache-2.0 |
| \`reference.json.br\`: \`quarters\`, \`years\` | Apple's income statements from its filings (XBRL company facts) | US Securities and Exchange Commission, by way of GitHub dgunning/edgartools, commit ca5a7009 | public domain; MIT |
| \`reference.json.br\`: the rest | Apple's statements, ratios, earnings and company facts as recorded from a data vendor, without its texts | GitHub sorndotdev/fmp4j, commit ec35bd5d, \`src/testFixtures\` | MIT |

Changes: packed as deltas, without rows that the source marks as suspicious, crossed, or far from the last trade, and without
the sizes of crypto quotes. The demo market plays a tape forward and then backward, shifted to the present, with a slow
artificial drift on top, and forex eight times as fast as recorded. Every other symbol, and all news and transcripts, are
made up.
`,
)
