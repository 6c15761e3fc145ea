/**
 * Every example in the help, which the guide's reference shows, runs and prints what it should, or refuses for
 * the reason that is named here. Those of teams, which need
 * servers, are run with other addresses by the tests of teams.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { StopReason } from '../../../src/main/command-line/exit.ts'
import { runCommandLine } from '../../../src/main/hosts/cli/run.ts'
import { COMMANDS } from '../../../src/main/hosts/cli/table.ts'
import { startSimulator, type Simulator } from '../../../src/simulator/simulator.ts'
import type { RecordingId } from '../../../src/shared/base/units.ts'
import { makeFolder } from '../../kit/folder.ts'
import { tradeText } from '../../kit/market.ts'
import { T0, type Item } from '../main/core/store/harness.ts'
import { recorded } from '../main/features/export/recorded.ts'
import { commandContext, type TestContext } from '../main/hosts/cli/context.ts'

/** What an example does. */
interface Expected {
  /** Exit code; 0 unless it says otherwise. */
  readonly code?: number
  readonly out?: RegExp
  readonly err?: RegExp
  /** It runs until it is stopped: by SIGTERM, once it has printed `out` and `err`, or a file is there. */
  readonly until?: 'printed' | `dataset/${string}`
  /** Command lines that come first, in the same folder. */
  readonly after?: readonly string[]
  /** Files that it reads. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether the account is signed in. */
  readonly account?: true
  /** A file that it writes, and what is in it. */
  readonly writes?: readonly [name: string, content: RegExp]
}

const TICKS = /^feed,symbol,event_time,recv_time,event_ms,recv_ms,seq,price,size\n/
const SIGN_IN = 'login --base-url https://data.example.com --user me --credentials-file'
const EXPECTED: Readonly<Record<string, Expected>> = {
  'simulate --json': { until: 'printed', out: /"base_url":"http:\/\/127\.0\.0\.1:\d+"/ },
  'simulate --speed 20 --seed 7': { until: 'printed', out: /http:\/\/127\.0\.0\.1:\d+/ },
  'record --demo --feed crypto/XT:BTC-USD,ETH-USD --duration 30s': { out: /source demo\ncrypto\/XT {2}received [1-9]/ },
  'record --feed crypto/XT:BTC-USD --feed forex/C:EURUSD': {
    until: 'printed',
    account: true,
    err: /"event":"connected"/,
  },
  'tail --demo --feed crypto/XT:BTC-USD,ETH-USD': {
    until: 'printed',
    out: /Z {2}crypto\/XT {2}(?:BTC|ETH)-USD {2}price [\d.]+ {2}size /,
  },
  'tail -f crypto/XT:BTC-USD --json': {
    until: 'printed',
    account: true,
    out: /^\{"feed":"crypto\/XT","symbol":"BTC-USD","event_time":/,
  },
  'tail --session latest -f crypto/XT --csv': { out: TICKS },
  'serve --demo --open': { until: 'printed', out: /http:\/\/127\.0\.0\.1:\d+/ },
  'serve --demo --api': { until: 'printed', err: /api\.json/ },
  // Tests leave the machine's keychain alone; login's own test has one.
  'login --base-url https://data.example.com --user me': { code: 2, err: /add --credentials-file/ },
  [SIGN_IN]: { out: /^Signed in as .* at http:.*credentials\.json, which only you can read\.\n$/ },
  'login --base-url https://data.example.com --user me < secrets': { code: 2, err: /add --credentials-file/ },
  'logout ': { account: true, out: /^Forgot|^Signed out|^The account/ },
  'sessions --json': { out: /^(?:\{"schema":"tapedeck\/sessions\/1","session":"\w{26}","source":"demo".*\}\n){5}$/ },
  'sessions --session 01k… --out monday.tapedeck': {
    out: /monday\.tapedeck: 9 messages, \d+ bytes, SHA-256 [\da-f]{64}\n$/,
  },
  'sessions --gaps': { err: /^0 gaps, plus 0 at the edges of sessions\.\n$/ },
  'sessions --session 01k… --name "CPI day" --tag macro --pin': { out: /"CPI day" #macro pinned\n$/ },
  'journal ': { out: /^# Review, 2026-01-05 14:00:00 .*\n\n- Source: demo\n- 1 session, 9 stored messages/ },
  'journal --session 01k… --out monday.md': {
    err: /^monday\.md: 3 moves, 0 gaps/,
    writes: ['monday.md', /^# Review, 2026-01-05/],
  },
  'journal --from -1h': { code: 2, err: /--to must be after --from/ },
  'journal --json': { out: /^\{"schema":"tapedeck\/journal\/1","source":"demo"/ },
  'symbols ': { out: /\ncrypto\/XT {2}BTC-USD +9 .*\ncrypto\/XT {2}ETH-USD +9 .*\nforex\/C {4}EUR\/USD +9 / },
  'symbols -f crypto/XT --session latest': { out: /\ncrypto\/XT {2}BTC-USD +3 .*\ncrypto\/XT {2}ETH-USD +3 .*\n$/ },
  'feeds ': { out: /\ncrypto\/XT +Crypto trades +trade +Premium +3 +18\n/ },
  'stats ': { out: /^sessions +5\n[^]*\ncrypto\/XT +3 +18 +18 / },
  'stats --session latest --json': { out: /^\{"schema":"tapedeck\/stats\/1","sessions":1,"messages":9,/ },
  'replay --session latest --digest': { out: /^messages 9\ndigest [\da-f]{64}\nnothing to compare/ },
  'replay --session ID --speed 10 --from 2026-01-05T09:30:00-05:00': { out: /^messages \d\n/ },
  'replay --serve 8017 --session ID': { until: 'printed', out: /http:\/\/127\.0\.0\.1:\d+/ },
  'replay --serve 8017 --session ID --speed max --start all': { until: 'printed', out: /http:\/\/127\.0\.0\.1:\d+/ },
  'verify ': { out: /^5 sessions, 27 messages: all as recorded\n$/ },
  'verify --session ID --json': {
    out: /^\{"schema":"tapedeck\/verify\/1","sessions":1,"messages":9,"ok":true,"problems":\[\]\}\n$/,
  },
  'verify --agreement --symbol BTC-USD': { out: /all as recorded\nNothing to compare: no session has both/ },
  'export --feed crypto/XT --session ID --raw --out btc.csv': {
    out: /^6 rows of crypto\/XT from demo/,
    writes: ['btc.csv', /^feed,symbol,.*,raw\n(?:.*\n){6}$/],
  },
  'export --feed crypto/XT --what bars --interval 5m --symbol BTC-USD --symbol ETH-USD --from 2026-01-05T00:00:00Z --out bars.csv':
    { out: /^6 rows/, writes: ['bars.csv', /^feed,symbol,interval,of,start_time,/] },
  'export -f crypto/XT --session latest --out - | gzip > btc.csv.gz': {
    out: TICKS,
    err: /^6 rows of crypto\/XT from demo\n$/,
  },
  'export -f crypto/XT --session latest --format arrow --out - | python3 plot.py': {
    out: /tapedeck\/ticks\/2/,
    err: /^6 rows/,
  },
  'export --feed forex/C --split day --out quotes.parquet': {
    out: /quotes\.2026-01-05\.parquet: 9 rows/,
    writes: ['quotes.2026-01-05.parquet', /^PAR1/],
  },
  'export --preset "Excel (comma)" -f crypto/XT --zone America/New_York -o day.csv': {
    out: /^18 rows/,
    writes: ['day.csv', /2026-01-05 05:00:00\.000/],
  },
  'export --preset "Daily" --session ID --out day.csv': { code: 2, err: /No preset is named "Daily"/ },
  'sync dataset': { out: /^9 files, 27 rows, \d+ bytes\n$/, writes: ['dataset/_tapedeck.json', /"source": "demo"/] },
  'sync dataset -f crypto/XT --follow': { until: 'dataset/_sync/ID.json', out: /^\d+ files, \d+ rows, \d+ bytes\n$/ },
  'import monday.tapedeck': {
    after: ['sessions --session 01k… --out monday.tapedeck'],
    out: /^\w{26}: 9 messages\n$/,
    err: /already in the store/,
  },
  'import btc.csv': {
    after: ['export --feed crypto/XT --session ID --raw --out btc.csv'],
    out: /^\w{26}: 6 messages\n$/,
  },
  'import trades.csv --feed stocks/T --zone America/New_York --map when=time,qty=size': {
    files: { 'trades.csv': 'when,symbol,price,qty\n2026-01-05 09:30:00,SPY,500.5,3\n' },
    out: /^\w{26}: 1 message\n$/,
  },
  'import dax.csv --feed stocks/T --symbol SAP --zone Europe/Berlin --date-format "DD.MM.YYYY HH:mm:ss"': {
    files: { 'dax.csv': 'time,price,size\n05.01.2026 09:30:00,250.5,3\n' },
    out: /^\w{26}: 1 message\n$/,
  },
  'import - < btc.csv': {
    after: ['export --feed crypto/XT --session ID --raw --out btc.csv'],
    out: /^\w{26}: 6 messages\n$/,
  },
  'import BTCUSDT-trades-2024-01-15.csv': {
    files: {
      'BTCUSDT-trades-2024-01-15.csv':
        'id,price,qty,quote_qty,time,is_buyer_maker,is_best_match\n1,42000.5,0.1,4200.05,1705276800000,True,True\n',
    },
    out: /^\w{26}: 1 message\n$/,
  },
  'import eurusd.csv --feed forex/C --symbol EURUSD': {
    files: { 'eurusd.csv': 'time,bid,ask\n2026-01-05T09:30:00Z,1.1,1.2\n' },
    out: /^\w{26}: 1 message\n$/,
  },
  'fetch /fundamentals/AAPL/income-statement': { account: true, out: /"AAPL"/ },
  'fetch income-statement --symbol AAPL --cached': {
    account: true,
    after: ['fetch /fundamentals/AAPL/income-statement'],
    out: /"AAPL"/,
  },
  'fetch --list': { out: /\nincome-statement +\/fundamentals\/\{symbol\}\/income-statement +Income statement\n/ },
  'alerts --json': { err: /^There are no alerts yet\.\n$/ },
  'alerts --test 01k…': { out: /^$/ },
  'alerts --command \'["notify-send", "Tapedeck"]\'': {
    err: /^Alerts with the action Command run notify-send Tapedeck\.\n$/,
  },
  'alerts --test 01k… --alert ID --from 2026-01-05T14:00Z --to 2026-01-05T15:00Z': {
    code: 1,
    err: /There is no alert ID\./,
  },
  'backup ': { out: /^1 file, [\d.]+ MB, in .*tapedeck-backup-/ },
  'backup --out /mnt/safe/tapedeck-friday': {
    out: /^1 file, /,
    writes: ['mnt/safe/tapedeck-friday/backup.json', /^\{/],
  },
  'backup --restore /mnt/safe/tapedeck-friday': {
    after: ['backup --out /mnt/safe/tapedeck-friday'],
    out: /^Restored 1 file as of .*\n.*before-restore-/,
  },
  'move /mnt/large/tapedeck': {
    out: /mnt\/large\/tapedeck\/tapedeck\.db, [\d.]+ MB\.\n$/,
    writes: ['mnt/large/tapedeck/tapedeck.db', /^SQLite format 3/],
  },
  'plan --team eu --shards 2 --feed crypto/XT:BTC-USD,ETH-USD,SOL-USD': { out: /\n +1 +1 +2\/50\n +2 +1 +1\/50\n$/ },
  'config ': { out: /^version = 1\naccount\.source = "demo"\n/ },
  'config recording.enabled': { out: /^true\n$/ },
  'config recording.storePath /mnt/large/tapedeck.db': { out: /mnt\/large\/tapedeck\.db\n$/ },
  'doctor ': { out: /^ok {4}program {3}Tapedeck .*\nok {4}folder [^]*\nok {4}store .*: 5 sessions\n/ },
  'doctor --json --quiet': {
    out: /^(?:\{"schema":"tapedeck\/doctor\/1","check":"\w+","result":"(?:ok|warn)",.*\}\n)+$/,
  },
  'completion bash >> ~/.bashrc': { out: /^# bash completion of tapedeck\n/ },
  'completion zsh > ~/.zsh/completions/_tapedeck': { out: /^#compdef tapedeck\n/ },
  'completion fish > ~/.config/fish/completions/tapedeck.fish': { out: /^# fish completion of tapedeck\n/ },
}

/** Needs a NATS server or PostgreSQL. */
const isOfTeam = (line: string): boolean => /--upstream|--history|--publish|--migrate|team:/.test(line)

const demoData = new URL('../../../resources/demo/', import.meta.url)
const started = process.cwd()
let simulator: Simulator
/** A data folder with five sessions, and one in which an account is saved, too. */
let home: string
let signedIn: string
let session: RecordingId
/** A built window. */
let page: string

const around = (ms: number): Item[] =>
  [0, 400, 800].flatMap((after) => [
    { conn: 1, recvMs: ms + after, data: tradeText('BTC-USD', String(100 + after), 1, ms + after) },
    { conn: 1, recvMs: ms + after + 1, data: tradeText('ETH-USD', '10', 2, ms + after + 1) },
    { conn: 2, recvMs: ms + after + 2, data: `{"ev":"C","p":"EUR/USD","a":1.1,"b":1.${after},"t":${ms + after}}` },
  ])

beforeAll(async () => {
  simulator = await startSimulator({ dataDir: demoData, market: { kind: 'load', messagesPerSecond: 200 } })
  const lists = [around(T0), around(T0 + 3_600_000), [], [], around(T0 + 4.5 * 3_600_000)]
  const store = await recorded(lists, { feeds: ['crypto/XT', 'forex/C'] })
  session = store.sessions[4]
  page = makeFolder('page')
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>Tapedeck</title>')
  home = makeFolder('examples')
  await store.reader.close()
  copyFileSync(store.file, join(home, 'tapedeck.db'))
  signedIn = makeFolder('account')
  cpSync(home, signedIn, { recursive: true })
  process.chdir(signedIn)
  const { code, err } = await run(SIGN_IN, signedIn)
  expect([code, err]).toEqual([0, ''])
}, 120_000)
afterEach(() => process.chdir(started))
afterAll(() => simulator.close())

/** What stands for an address, session or file of the reader, and ports that are taken perhaps. */
const withOwn = (line: string, folder: string): string =>
  line
    .replaceAll('https://data.example.com', simulator.baseUrl)
    .replace('--user me', `--user ${simulator.username}`)
    .replaceAll('01k…', session)
    .replace(/--session ID\b/, `--session ${session}`)
    .replaceAll('/mnt/', `${folder}/mnt/`)
    .replace('--serve 8017', '--serve 0')
    .replace('--api', '--api --api-port 0')
    .replace(' --open', '')
    .replace('--duration 30s', '--duration 6s')

/** Words of a line, as a shell without expansions splits them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/^(["'])(.*)\1$/, '$2'))

const POLL_MS = 20

/** Runs a line, without what a shell does, in a folder. `until` stops it with SIGTERM once that is true. */
async function run(line: string, folder: string, until?: (context: TestContext) => boolean) {
  const [, args = '', input] = /^(.*?)(?:\s+<\s*(\S+)|\s+[|>].*)?$/.exec(line) ?? []
  const stop = new AbortController()
  const isFile = input !== undefined && input !== 'secrets'
  const text = isFile ? readFileSync(join(folder, input)) : Buffer.from(`${simulator.password}\n${simulator.apiKey}\n`)
  const context = commandContext({
    dataDir: folder,
    portable: true,
    rendererDir: page,
    signal: stop.signal,
    input: Readable.from([text]),
  })
  const poll = setInterval(() => {
    if (until?.(context)) stop.abort('terminate' satisfies StopReason)
  }, POLL_MS)
  const code = await runCommandLine(wordsOf(withOwn(args, folder)), context)
  clearInterval(poll)
  return { code, out: context.output(), err: context.errors() }
}

const examples = (
  await Promise.all(
    COMMANDS.map(async ({ name, load }) => ((await load()).examples ?? []).map(([, args]) => `${name} ${args}`)),
  )
).flat()

it('are the examples of the help, and no others', () => {
  expect(Object.keys(EXPECTED).toSorted()).toEqual(examples.filter((line) => !isOfTeam(line)).toSorted())
})

it('are what the pages of the guide show', () => {
  const pages = readdirSync('docs/guide').filter((name) => !['data.md', 'team.md'].includes(name))
  const shown = pages.flatMap((name) =>
    [...readFileSync(`docs/guide/${name}`, 'utf8').matchAll(/^ *tapedeck (.*)$/gm)].map(([, line = '']) => line.trim()),
  )
  expect(shown.length).toBeGreaterThan(60)
  const known = new Set(examples.map((line) => line.trim()))
  expect(shown.filter((line) => !known.has(line) && !line.endsWith('[options]'))).toEqual([])
})

it.each(Object.entries(EXPECTED))('tapedeck %s', { timeout: 120_000 }, async (line, expected) => {
  const { code = 0, out = /(?:)/, err = /(?:)/, until, after = [], files = {}, account, writes } = expected
  const folder = makeFolder('example')
  cpSync(account ? signedIn : home, folder, { recursive: true })
  process.chdir(folder)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  for (const first of after) expect((await run(first, folder)).code).toBe(0)
  const isDone = (context: TestContext): boolean =>
    until === 'printed'
      ? out.test(context.output()) && err.test(context.errors())
      : until !== undefined && existsSync(join(folder, until.replace('ID', session)))
  const ran = await run(line, folder, isDone)
  expect(ran).toEqual({
    code,
    out: expect.stringMatching(out) as string,
    err: expect.stringMatching(err) as string,
  })
  if (writes !== undefined) expect(readFileSync(join(folder, writes[0]), 'latin1')).toMatch(writes[1])
})
