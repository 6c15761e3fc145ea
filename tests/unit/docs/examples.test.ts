/**
 * Every example in the help, which the guide's reference shows, and every command of another document runs and prints
 * what it should, or refuses for the reason that is named here. Those of teams are run by `team.test.ts`.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/main/hosts/cli/table.ts'
import { startSimulator, type Simulator } from '../../../src/simulator/simulator.ts'
import type { SessionId } from '../../../src/shared/base/units.ts'
import { makeFolder } from '../../kit/folder.ts'
import { tradeText } from '../../kit/market.ts'
import { T0, type Item } from '../main/core/store/harness.ts'
import { recorded } from '../main/features/export/recorded.ts'
import { commandsOf, DOCUMENTS, isOfTeam, NOT_RUN, proseOf, spansIn } from './blocks.ts'
import { startLine, type Ran, type Running } from './command-lines.ts'

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
  /** The time that it takes for now, UTC ms. */
  readonly nowMs?: number
  /** Files that it reads. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether the account is signed in. */
  readonly account?: true
  /** A file that it writes, and what is in it. */
  readonly writes?: readonly [name: string, content: RegExp]
}

/** Half an hour after the last session. */
const AFTER_SESSIONS = T0 + 5 * 3_600_000
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
  'sessions --json': { out: /^(?:\{"schema":"tapedeck\/session\/1","session":"\w{26}","source":"demo".*\}\n){5}$/ },
  'sessions --session 01k… --out monday.tapedeck': {
    out: /monday\.tapedeck: 9 messages, \d+ bytes, SHA-256 [\da-f]{64}\n$/,
  },
  'sessions --session ID --out monday.tapedeck': { out: /monday\.tapedeck: 9 messages, / },
  'sessions --session ID --release': { code: 1, err: /No team needs session \w{26}\. It can be erased already\./ },
  'sessions --gaps': { err: /^0 gaps, plus 0 at the edges of sessions\.\n$/ },
  'sessions --session 01k… --name "CPI day" --tag macro --pin': { out: /"CPI day" #macro pinned\n$/ },
  'journal ': { out: /^# Review, 2026-01-05 14:00:00 .*\n\n- Source: demo\n- 1 session, 9 stored messages/ },
  'journal --session 01k… --out monday.md': {
    err: /^monday\.md: 3 moves, 0 gaps/,
    writes: ['monday.md', /^# Review, 2026-01-05/],
  },
  'journal --from -1h': {
    nowMs: AFTER_SESSIONS,
    out: /^# Review, 2026-01-05 14:00:00 .*\n\n- Source: demo\n- 1 session, 9 /,
  },
  'journal --session latest --out review.md': { err: /^review\.md: /, writes: ['review.md', /^# Review, 2026-01-05/] },
  'journal --json': { out: /^\{"schema":"tapedeck\/journal\/2","source":"demo"/ },
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
  'backup ': { out: /^1 file, [\d.]+ [kM]B, in .*tapedeck-backup-/ },
  'backup --out /mnt/safe/tapedeck-friday': {
    out: /^1 file, /,
    writes: ['mnt/safe/tapedeck-friday/backup.json', /^\{/],
  },
  'backup --restore /mnt/safe/tapedeck-friday': {
    after: ['backup --out /mnt/safe/tapedeck-friday'],
    out: /^Restored 1 file as of .*\n.*before-restore-/,
  },
  'move /mnt/large/tapedeck': {
    out: /mnt\/large\/tapedeck\/tapedeck\.db, [\d.]+ [kM]B\.\n$/,
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

const demoData = new URL('../../../resources/demo/', import.meta.url)
const started = process.cwd()
let simulator: Simulator
/** A data folder with five sessions, and one in which an account is saved, too. */
let home: string
let signedIn: string
let session: SessionId
/** A built window. */
let page: string

const around = (ms: number): Item[] =>
  [0, 400, 800].flatMap((after) => [
    { conn: 1, recvMs: ms + after, data: tradeText('BTC-USD', String(100 + after), 1, ms + after) },
    { conn: 1, recvMs: ms + after + 1, data: tradeText('ETH-USD', '10', 2, ms + after + 1) },
    { conn: 2, recvMs: ms + after + 2, data: `{"ev":"C","p":"EUR/USD","a":1.1,"b":1.${after},"t":${ms + after}}` },
  ])

const secrets = (): string => `${simulator.password}\n${simulator.apiKey}\n`

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
  writeFileSync(join(home, 'secrets'), secrets())
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

/** Runs a line in a folder. `until` stops it once that is true. */
async function run(line: string, folder: string, until?: (running: Running) => boolean, nowMs?: number): Promise<Ran> {
  const at = nowMs === undefined ? {} : { nowMs }
  const running = startLine(withOwn(line, folder), { folder, page, input: secrets(), ...at })
  const poll = setInterval(() => {
    if (until?.(running)) void running.end()
  }, POLL_MS)
  const ran = await running.ended
  clearInterval(poll)
  return ran
}

const POLL_MS = 20

const examples = (
  await Promise.all(
    COMMANDS.map(async ({ name, load }) => ((await load()).examples ?? []).map(([, args]) => `${name} ${args}`)),
  )
).flat()

/** Pages whose blocks run one after another, in the order of the page, each in a test of its own. */
const WHOLE = ['README.md', 'docs/format.md', 'docs/guide/api.md', 'docs/guide/data.md', 'docs/guide/team.md']
/** Commands in the text of the guide that are complete: they have arguments, and none is left out. */
const inText = DOCUMENTS.filter((page) => page.startsWith('docs/guide/'))
  .flatMap((page) => spansIn(proseOf(page)))
  .flatMap((span) => (span.startsWith('tapedeck ') ? [span.slice('tapedeck '.length)] : []))
  .filter(
    (line) => / [\w/"'.]/.test(line.replace(/^\S+/, '')) && !line.includes('…') && !/\b(?!ID\b)[A-Z]{2,}\b/.test(line),
  )
const inBlocks = DOCUMENTS.filter((page) => !WHOLE.includes(page)).flatMap(commandsOf)
const shown = [...new Set([...inBlocks, ...inText.map((line) => `tapedeck ${line}`)])]

it('are the examples of the help and what the documents show, and no others', () => {
  const commands = [...examples.map((line) => `tapedeck ${line}`.trim()), ...shown]
  const usual = commands.filter((line) => !isOfTeam(line) && !line.endsWith('[options]') && !(line in NOT_RUN))
  expect(
    Object.keys(EXPECTED)
      .map((line) => `tapedeck ${line}`.trim())
      .toSorted(),
  ).toEqual([...new Set(usual)].toSorted())
})

it('shows no command of teams that team.test.ts leaves out', () => {
  const run = [...examples.map((line) => `tapedeck ${line}`), ...commandsOf('docs/guide/team.md')]
  const ofTeam = shown.filter((line) => isOfTeam(line) && !line.endsWith('[options]'))
  expect(ofTeam.length).toBeGreaterThan(10)
  expect(ofTeam.filter((line) => !run.includes(line))).toEqual([])
})

it.each(Object.entries(EXPECTED))('tapedeck %s', { timeout: 120_000 }, async (line, expected) => {
  const { code = 0, out = /(?:)/, err = /(?:)/, until, after = [], files = {}, account, writes, nowMs } = expected
  const folder = makeFolder('example')
  cpSync(account ? signedIn : home, folder, { recursive: true })
  process.chdir(folder)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  for (const first of after) expect((await run(first, folder)).code).toBe(0)
  const isDone = (running: Running): boolean =>
    until === 'printed'
      ? out.test(running.out()) && err.test(running.err())
      : until !== undefined && existsSync(join(folder, until.replace('ID', session)))
  const ran = await run(line, folder, isDone, nowMs)
  expect(ran).toEqual({
    code,
    out: expect.stringMatching(out) as string,
    err: expect.stringMatching(err) as string,
  })
  if (writes !== undefined) expect(readFileSync(join(folder, writes[0]), 'latin1')).toMatch(writes[1])
})
