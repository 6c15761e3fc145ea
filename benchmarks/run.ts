/**
 * Every figure beside its ceiling or peer of the same run, as one table and in results/latest.json.
 * `--check`: smaller sizes, and exit 1 where a figure is below its floor; floors stand far below the
 * goals because machines are noisy. `--only NAME,…` runs some of them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { benchAlerts } from './alerts.ts'
import { benchBars } from './bars.ts'
import { benchBlocks } from './blocks.ts'
import { benchCsv } from './csv.ts'
import { benchHistory } from './history.ts'
import { benchLatency } from './latency.ts'
import { benchPainted } from './painted.ts'
import { benchPipeline } from './pipeline.ts'
import { benchReplay } from './replay.ts'
import type { Row } from './row.ts'
import { benchSessions } from './sessions.ts'
import { table } from './table.ts'
import { benchTexts } from './texts.ts'

interface Bench {
  readonly name: string
  readonly full: () => Promise<readonly Row[]>
  readonly check: () => Promise<readonly Row[]>
  /** A goal times this is the floor. */
  readonly slack: number
}

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
  { name: 'replay', full: () => benchReplay(10_000_000), check: () => benchReplay(400_000, 8), slack: 5 },
  { name: 'sessions', full: () => benchSessions(1_500), check: () => benchSessions(150), slack: 5 },
  { name: 'texts', full: () => benchTexts(100_000), check: () => benchTexts(40_000), slack: 1.5 },
  { name: 'history', full: () => benchHistory(2_000_000), check: () => benchHistory(100_000), slack: 5 },
  { name: 'painted', full: () => benchPainted(20), check: () => benchPainted(4), slack: 25 },
]

/** Whether a row holds its goal with `slack`; true where it has none. */
function holds({ ratio, goal }: Row, slack: number): boolean {
  if (goal === null) return true
  return goal.is === 'at least' ? ratio >= goal.ratio / slack : ratio <= goal.ratio * slack
}

const figure = (value: number): string =>
  value >= 1_000 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(2)

const { values } = parseArgs({ options: { check: { type: 'boolean' }, only: { type: 'string' } } })
const only = values.only?.split(',')
const results: (Row & { readonly bench: string; readonly ok: boolean; readonly floor: boolean })[] = []
for (const bench of BENCHES) {
  if (only !== undefined && !only.includes(bench.name)) continue
  const from = performance.now()
  process.stderr.write(`${bench.name} … `)
  const rows = await (values.check === true ? bench.check() : bench.full())
  process.stderr.write(`${((performance.now() - from) / 1_000).toFixed(0)} s\n`)
  for (const row of rows) results.push({ ...row, bench: bench.name, ok: holds(row, 1), floor: holds(row, bench.slack) })
}

console.log(
  table([
    ['what', 'ours', 'peer', 'ratio', 'goal', 'ok', 'against'],
    ...results.map(({ name, unit, ours, peer, ratio, goal, ok, floor, peerName }) => [
      name,
      `${figure(ours)} ${unit}`,
      figure(peer),
      ratio.toFixed(2),
      goal === null ? '–' : `${goal.is === 'at least' ? '≥' : '≤'} ${goal.ratio}`,
      goal === null ? '–' : ok ? 'yes' : floor ? 'no' : 'NO',
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
