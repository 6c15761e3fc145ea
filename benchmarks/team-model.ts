/**
 * A small model of what a team costs, from measured costs: `npx node benchmarks/team-model.ts`. It first predicts every
 * measurement that it was fitted to, and ends with 1 if one is more than 30 % off: larger answers mean nothing then.
 * docs/scale.md holds its output.
 */
import { pathToFileURL } from 'node:url'
import { table } from './table.ts'

/** A measured load of one replicated stream on three nodes: processor time of all three, ms a second. */
interface Measured {
  readonly frameBytes: number
  readonly framesPerSecond: number
  readonly cpuMs: number
}

/**
 * Three nats-server 2.9.10 on loopback, one stream of three replicas on disk with republishing, at most 64 publishes under
 * way, 4 s each; utime + stime of the three processes. `sync_interval` was the default: 2.9 has no other.
 */
export const MEASURED: readonly Measured[] = [
  { frameBytes: 292, framesPerSecond: 100, cpuMs: 100.2 },
  { frameBytes: 292, framesPerSecond: 1_000, cpuMs: 317.6 },
  { frameBytes: 292, framesPerSecond: 4_000, cpuMs: 407.4 },
  { frameBytes: 2_600, framesPerSecond: 20, cpuMs: 32.9 },
  { frameBytes: 2_600, framesPerSecond: 100, cpuMs: 110.3 },
  { frameBytes: 2_600, framesPerSecond: 1_000, cpuMs: 452.6 },
  { frameBytes: 36_000, framesPerSecond: 5, cpuMs: 14.6 },
  { frameBytes: 36_000, framesPerSecond: 50, cpuMs: 123.1 },
  { frameBytes: 36_000, framesPerSecond: 300, cpuMs: 385.2 },
  { frameBytes: 256_000, framesPerSecond: 5, cpuMs: 26.3 },
  { frameBytes: 256_000, framesPerSecond: 50, cpuMs: 288.8 },
]

/** Fitted to MEASURED: the largest error is as small as it gets. */
const IDLE_MS = 1.1
/** A quiet stream wakes three processes for each frame; a busy one does several frames at a time. */
const WAKE_MS = 1.69
const WAKES_SATURATE_AT = 225
const FRAME_MS = 0.02
const BYTE_MS = 1.73e-5

export const ALLOWED_ERROR = 0.3

/** Processor time of all three nodes for one stream, ms a second. */
export const streamCpuMs = (frameBytes: number, framesPerSecond: number): number =>
  IDLE_MS +
  (WAKE_MS * framesPerSecond) / (1 + framesPerSecond / WAKES_SATURATE_AT) +
  framesPerSecond * (FRAME_MS + frameBytes * BYTE_MS)

/** Frames a second of a busy shard: a flush about every 10 ms. */
const FRAMES_PER_SECOND = 100
/** Size of a frame, from the table of decision 53: it is within 11 % of each of its rows. */
const FRAME_BYTES = 270
const MESSAGE_BYTES = 23
/** Decision 53: decode a frame and recompute its chains, µs a message, one thread. */
const VERIFY_US = 0.5
/** Bytes a message in PostgreSQL, as sealed blocks and as rows. */
const BLOCK_BYTES = 5.8
const ROW_BYTES = 139
const DAY_S = 86_400

export interface Scenario {
  readonly name: string
  readonly instruments: number
  readonly messagesPerSecond: number
  readonly shards: number
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'office', instruments: 550, messagesPerSecond: 10_000, shards: 3 },
  { name: 'firm', instruments: 5_000, messagesPerSecond: 100_000, shards: 8 },
  { name: 'region', instruments: 50_000, messagesPerSecond: 1_000_000, shards: 40 },
  { name: 'internet', instruments: 500_000, messagesPerSecond: 10_000_000, shards: 200 },
]

export interface Cost {
  /** Connections of 50 symbols, for two feeds. */
  readonly connections: number
  readonly natsCores: number
  /** Bytes a second into the log, and to each terminal that follows everything. */
  readonly wireBytes: number
  /** Cores that verify, in the archiver and in each terminal that follows everything. */
  readonly verifyCores: number
  readonly blockBytesPerDay: number
  readonly rowBytesPerDay: number
}

export function costOf({ instruments, messagesPerSecond, shards }: Scenario): Cost {
  const perShard = messagesPerSecond / shards
  const frames = Math.min(perShard, FRAMES_PER_SECOND)
  const frameBytes = FRAME_BYTES + (MESSAGE_BYTES * perShard) / frames
  return {
    connections: 2 * Math.ceil(instruments / 50),
    natsCores: (shards * streamCpuMs(frameBytes, frames)) / 1_000,
    wireBytes: shards * frames * frameBytes,
    verifyCores: (messagesPerSecond * VERIFY_US) / 1e6,
    blockBytesPerDay: messagesPerSecond * BLOCK_BYTES * DAY_S,
    rowBytesPerDay: messagesPerSecond * ROW_BYTES * DAY_S,
  }
}

/** Predicted divided by measured, less one. */
export const errorOf = ({ frameBytes, framesPerSecond, cpuMs }: Measured): number =>
  streamCpuMs(frameBytes, framesPerSecond) / cpuMs - 1

const number = (value: number): string => (value >= 10 ? Math.round(value).toLocaleString('en') : value.toPrecision(2))
const bytes = (value: number): string => {
  const [unit, name] = value >= 1e12 ? [1e12, 'TB'] : value >= 1e9 ? [1e9, 'GB'] : [1e6, 'MB']
  return `${number(value / unit)} ${name}`
}

/** The table of docs/scale.md. */
export function scaleTable(): readonly (readonly string[])[] {
  const costs = SCENARIOS.map(costOf)
  const row = (head: string, text: (cost: Cost, scenario: Scenario) => string): string[] => [
    head,
    ...costs.map((cost, at) => text(cost, SCENARIOS[at])),
  ]
  return [
    ['', ...SCENARIOS.map(({ name }) => name)],
    row('instruments', (_, { instruments }) => number(instruments)),
    row('messages a second', (_, { messagesPerSecond }) => number(messagesPerSecond)),
    row('connections of 50, shards', ({ connections }, { shards }) => `${number(connections)}, ${shards}`),
    row('NATS, three replicas, cores', ({ natsCores }) => number(natsCores)),
    row('wire, each second', ({ wireBytes }) => bytes(wireBytes)),
    row('verifying everything, cores', ({ verifyCores }) => number(verifyCores)),
    row('history a day, as blocks', ({ blockBytesPerDay }) => bytes(blockBytesPerDay)),
    row('history a day, as rows', ({ rowBytesPerDay }) => bytes(rowBytesPerDay)),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const checks = MEASURED.map((one) => [
    number(one.frameBytes),
    number(one.framesPerSecond),
    one.cpuMs.toFixed(1),
    streamCpuMs(one.frameBytes, one.framesPerSecond).toFixed(1),
    `${(errorOf(one) * 100).toFixed(0)} %`,
  ])
  console.log(table([['bytes a frame', 'frames/s', 'measured ms/s', 'model ms/s', 'error'], ...checks]))
  const isUsable = MEASURED.every((one) => Math.abs(errorOf(one)) <= ALLOWED_ERROR)
  console.log(isUsable ? `\n${table(scaleTable())}` : '\nThe model is more than 30 % off, so it says nothing.')
  process.exitCode = isUsable ? 0 : 1
}
