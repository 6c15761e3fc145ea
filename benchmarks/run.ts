/**
 * Every figure beside its ceiling or peer of the same run, as one table and in results/latest.json.
 * `--check`: smaller sizes, and exit 1 where a figure is below its floor; floors stand far below the
 * goals because machines are noisy. `--only NAME,…`, or names without it, runs some of them: `npm run bench -- team`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { hasNatsServer } from '../tests/kit/nats-server.ts'
import { isPostgresInstalled } from '../tests/kit/postgres-process.ts'
import { benchAlerts } from './alerts.ts'
import { benchApi } from './api.ts'
import { benchBars } from './bars.ts'
import { benchBlocks } from './blocks.ts'
import { benchCsv } from './csv.ts'
import { benchFirstPrice } from './first-price.ts'
import { benchFlow } from './flow.ts'
import { benchFootprint } from './footprint.ts'
import { benchHistory } from './history.ts'
import { benchLatency } from './latency.ts'
import { benchPainted } from './painted.ts'
import { benchPipeline } from './pipeline.ts'
import { benchReplay } from './replay.ts'
import type { Row } from './row.ts'
import { benchScreener } from './screener.ts'
import { benchServed } from './served.ts'
import { benchStreams } from './streams.ts'
import { benchSessions } from './sessions.ts'
import { benchStartup } from './startup.ts'
import { benchStored } from './stored.ts'
import { table } from './table.ts'
import { benchTeam } from './team.ts'
import { benchTexts } from './texts.ts'

interface Bench {
  readonly name: string
  readonly full: () => Promise<readonly Row[]>
  readonly check: () => Promise<readonly Row[]>
  /** A goal times this is the floor. */
  readonly slack: number
  /** Also runs under this name. */
  readonly group?: 'team'
  /** A sentence that says why it can't run here; null: it can. */
  readonly missing?: string | null
}

const NO_NATS = hasNatsServer ? null : 'No nats-server was found. On Debian: apt-get install nats-server.'
const NO_POSTGRES = isPostgresInstalled ? null : 'PostgreSQL was not found. On Debian: apt-get install postgresql.'

const BENCHES: readonly Bench[] = [
  {
    name: 'pipeline',
    full: async () => [await benchPipeline(1_000_000, 5)],
    check: async () => [await benchPipeline(200_000, 2)],
    slack: 5,
  },
  {
    name: 'latency',
    full: async () => [await benchLatency(12)],
    check: async () => [await benchLatency(2)],
    slack: 5,
  },
  { name: 'blocks', full: () => benchBlocks(1_000_000), check: () => benchBlocks(40_000), slack: 1.5 },
  { name: 'bars', full: () => benchBars(10_000_000), check: () => benchBars(1_000_000), slack: 5 },
  { name: 'csv', full: () => benchCsv(10_000_000), check: () => benchCsv(500_000), slack: 5 },
  { name: 'alerts', full: () => benchAlerts(1_000_000, 5), check: () => benchAlerts(100_000, 1), slack: 5 },
  { name: 'screener', full: () => benchScreener(), check: () => benchScreener(20_000, 50), slack: 5 },
  { name: 'flow', full: () => benchFlow(), check: () => benchFlow(4_000), slack: 5 },
  { name: 'footprint', full: () => benchFootprint(), check: () => benchFootprint(40, false), slack: 5 },
  { name: 'replay', full: () => benchReplay(10_000_000), check: () => benchReplay(400_000, 8), slack: 5 },
  { name: 'served', full: () => benchServed(3_000_000, 20), check: () => benchServed(null, 3), slack: 5 },
  {
    name: 'stored',
    full: () => benchStored(100_000_000, 1_000_000),
    check: () => benchStored(400_000, 40_000),
    slack: 3,
  },
  { name: 'startup', full: async () => benchStartup(20), check: async () => benchStartup(5), slack: 1.5 },
  { name: 'first-price', full: () => benchFirstPrice(5), check: () => benchFirstPrice(1), slack: 5 },
  { name: 'api', full: () => benchApi(2_000_000), check: () => benchApi(200_000), slack: 5 },
  { name: 'streams', full: () => benchStreams(3_000_000), check: () => benchStreams(200_000), slack: 5 },
  { name: 'sessions', full: () => benchSessions(1_500), check: () => benchSessions(150), slack: 5 },
  { name: 'texts', full: () => benchTexts(100_000), check: () => benchTexts(40_000), slack: 1.5 },
  {
    name: 'log',
    full: () => benchTeam({ messages: 1_000_000, terminals: 50, seconds: 10 }),
    check: () => benchTeam({ messages: 100_000, terminals: 5, seconds: 1 }),
    slack: 5,
    group: 'team',
    missing: NO_NATS,
  },
  {
    name: 'history',
    full: () => benchHistory(2_000_000),
    check: () => benchHistory(500_000),
    slack: 5,
    group: 'team',
    missing: NO_POSTGRES,
  },
  { name: 'painted', full: () => benchPainted(20), check: () => benchPainted(4), slack: 25 },
]

/** Whether a row holds its goal with `slack`; true where it has none. */
function holds({ ratio, goal }: Row, slack: number): boolean {
  if (goal === null) return true
  return goal.is === 'at least' ? ratio >= goal.ratio / slack : ratio <= goal.ratio * slack
}

const figure = (value: number): string =>
  value >= 1_000 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(2)

const microseconds = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(2))

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' }, only: { type: 'string' } },
  allowPositionals: true,
})
const only = [...(values.only?.split(',') ?? []), ...positionals]
const unknown = only.filter((name) => !BENCHES.some((bench) => bench.name === name || bench.group === name))
if (unknown.length > 0) {
  console.error(
    `No benchmark is called ${unknown.join(', ')}. There are ${BENCHES.map(({ name }) => name).join(', ')} and team.`,
  )
  process.exit(2)
}
const results: (Row & { readonly bench: string; readonly ok: boolean; readonly floor: boolean })[] = []
for (const bench of BENCHES) {
  if (only.length > 0 && !only.includes(bench.name) && !only.includes(bench.group ?? '')) continue
  if (bench.missing !== undefined && bench.missing !== null) {
    console.log(`${bench.name}: skipped. ${bench.missing}`)
    continue
  }
  const from = performance.now()
  process.stderr.write(`${bench.name} … `)
  const rows = await (values.check === true ? bench.check() : bench.full())
  process.stderr.write(`${((performance.now() - from) / 1_000).toFixed(0)} s\n`)
  for (const row of rows) results.push({ ...row, bench: bench.name, ok: holds(row, 1), floor: holds(row, bench.slack) })
}

console.log(
  table([
    ['what', 'ours', 'peer', 'ratio', 'goal', 'ok', 'CPU µs a message', 'against'],
    ...results.map(({ name, unit, ours, peer, ratio, goal, ok, floor, peerName, cpuUs }) => [
      name,
      `${figure(ours)} ${unit}`,
      figure(peer),
      ratio.toFixed(2),
      goal === null ? '–' : `${goal.is === 'at least' ? '≥' : '≤'} ${goal.ratio}`,
      goal === null ? '–' : ok ? 'yes' : floor ? 'no' : 'NO',
      cpuUs === undefined ? '–' : [cpuUs.ours, cpuUs.peer].map(microseconds).join(' / '),
      peerName,
    ]),
  ]),
)

const below = results.filter(({ floor }) => !floor)
if (values.check === true) {
  for (const { name, ratio } of below) console.error(`${name}: ${ratio.toFixed(2)} is below its floor`)
  process.exitCode = below.length > 0 ? 1 : 0
} else {
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const report = {
    date: new Date().toISOString(),
    node: process.version,
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
    },
    rows: results.map(({ floor: _, ...row }) => row),
  }
  writeFileSync(new URL('latest.json', folder), `${JSON.stringify(report, null, 2)}\n`)
}
