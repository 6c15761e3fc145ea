/** `tapedeck plan`: assigns symbols to the shards of a team, and writes the plan for its recorders. */
import { jsonLine } from '../../../base/json-schema.ts'
import { readFileSync } from 'node:fs'
import { countText } from '../../../../shared/base/count-text.ts'
import { CodedError } from '../../../../shared/base/errors.ts'
import { FEED_IDS, feedAsset, instrumentId, type FeedId } from '../../../../shared/base/units.ts'
import { defineCommand, UsageError, wholeNumber, type Values } from '../../../command-line/command.ts'
import { EXIT } from '../../../command-line/exit.ts'
import { readFeedSymbols } from '../../../command-line/feeds.ts'
import { MAX_SHARDS } from '../names.ts'
import { Patience } from '../nats/patience.ts'
import { readTeam, readTeamAddress, TEAM_OPTIONS, UPSTREAM_OPTION } from '../nats/options.ts'
import type { TeamBucket } from '../nats/team-log.ts'
import { decodePlan, encodePlan, MAX_PLAN_BYTES, PLAN_KEY } from './document.ts'
import { capacityOf, comparePlans, makePlan, symbolsOfPlan, type Move, type Pin, type Plan } from './plan.ts'

const MOST_MOVES = 20

export const planCommand = defineCommand({
  storeless: true,
  examples: [
    ['How two accounts would share these symbols', '--team eu --shards 2 --feed crypto/XT:BTC-USD,ETH-USD,SOL-USD'],
    ['Write it for the recorders of the team', '--team eu --file symbols.txt --upstream nats://nats-1 --write'],
    ['What a third account would take over', '--team eu --shards 3 --upstream nats://nats-1'],
  ],
  options: {
    ...TEAM_OPTIONS,
    upstream: UPSTREAM_OPTION,
    feed: {
      type: 'string',
      multiple: true,
      value: 'FEED:SYMBOL,…',
      help: 'What the team records; repeatable (default: the symbols of the team’s plan)',
    },
    file: { type: 'string', value: 'FILE', help: 'The same from a file, a FEED:SYMBOL,… on each line', file: true },
    shards: { type: 'string', value: 'N', help: 'How many shards (default: as in the team’s plan, or as few as fit)' },
    connections: {
      type: 'string',
      multiple: true,
      value: '[SHARD=]N',
      help: 'Connections for each feed that the account of every shard, or of one, may open (default: 1); repeatable',
    },
    pin: { type: 'string', multiple: true, value: 'FEED:SYMBOL=SHARD', help: 'Keep a symbol on a shard; repeatable' },
    unpin: { type: 'string', multiple: true, value: 'FEED:SYMBOL', help: 'Remove its pin; repeatable' },
    write: {
      type: 'boolean',
      help: 'Write the plan to the team’s servers, and create what recorders need there',
    },
  },
  async run(values, context) {
    const team = readTeam(values)
    const symbols = readSymbols(values)
    if (values.text('upstream') === undefined) {
      if (values.on('write')) throw new UsageError('--write needs the team’s servers: add --upstream nats://HOST')
      const plan = revise(values, symbols, null)
      context.out(values.on('json') ? jsonOf(team, null, plan, null) : textOf(plan, null))
      return EXIT.ok
    }
    const patience = new Patience(context)
    const log = await patience.connect({ ...readTeamAddress(values, context.env), name: 'tapedeck plan' })
    try {
      const bucket = log.bucket('plan')
      if (values.on('write')) await patience.read(() => log.ensureBuckets())
      const stored = await patience.read(() => readPlan(bucket))
      const plan = revise(values, symbols, stored?.plan ?? null)
      // Recorders need no permission to create streams then.
      if (values.on('write')) for (const { shard } of plan.shards) await log.ensureShard(shard)
      const revision = values.on('write') ? await writePlan(bucket, plan, stored?.revision ?? 0) : null
      const done = revision === null ? 'Not written. Add --write.\n' : `Written as revision ${revision}.\n`
      context.out(
        values.on('json') ? jsonOf(team, revision, plan, stored?.plan ?? null) : textOf(plan, stored?.plan ?? null),
      )
      if (!values.on('json')) context.out(done)
      return EXIT.ok
    } finally {
      await log.close()
    }
  },
})

/** A team's plan and its revision; null if it has none. Throws where it can't be read. */
export async function readPlan(bucket: TeamBucket): Promise<{ readonly plan: Plan; readonly revision: number } | null> {
  const entry = await bucket.get(PLAN_KEY).catch((thrown: unknown) => {
    if (thrown instanceof CodedError && thrown.code === 'not-found') return null
    throw thrown
  })
  if (entry === null || entry.value === null) return null
  const plan = decodePlan(entry.value)
  if (plan === null) {
    throw new CodedError('unexpected-answer', 'This version can’t read the team’s plan.', {
      hint: 'A newer Tapedeck may have written it. Update Tapedeck.',
    })
  }
  return { plan, revision: entry.revision }
}

async function writePlan(bucket: TeamBucket, plan: Plan, expected: number): Promise<number> {
  const text = encodePlan(plan)
  if (Buffer.byteLength(text) > MAX_PLAN_BYTES) {
    throw new CodedError('too-large', `The plan is larger than ${countText(MAX_PLAN_BYTES, 'byte')}.`, {
      hint: 'Split the symbols between two teams.',
    })
  }
  const revision = await bucket.update(PLAN_KEY, text, expected)
  if (revision === null) {
    throw new CodedError('busy', 'Someone else wrote a plan in the meantime.', { hint: 'Run the command again.' })
  }
  return revision
}

function readSymbols(values: Values): ReadonlyMap<FeedId, readonly string[]> {
  const file = values.text('file')
  return readFeedSymbols([...values.texts('feed'), ...(file === undefined ? [] : readLines(file))])
}

function readLines(file: string): readonly string[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`couldn’t read the file of --file, ${file}`, { cause })
  }
  const lines = text.split(/\r?\n/).map((line) => line.replace(/#.*/, '').trim())
  return lines.filter((line) => line !== '')
}

/** The plan that the options ask for, based on the team's. */
function revise(values: Values, given: ReadonlyMap<FeedId, readonly string[]>, previous: Plan | null): Plan {
  const symbols = given.size > 0 || previous === null ? given : symbolsOfPlan(previous)
  if (symbols.size === 0) throw new UsageError('name symbols with --feed or --file; the team has no plan yet')
  const connections = readConnections(values, symbols, previous)
  return makePlan({ symbols, connections, pins: readPins(values, symbols, previous) }, previous)
}

function readConnections(
  values: Values,
  symbols: ReadonlyMap<FeedId, readonly string[]>,
  previous: Plan | null,
): readonly number[] {
  let everywhere: number | null = null
  const ofShard = new Map<number, number>()
  for (const text of values.texts('connections')) {
    const match = /^(?:(\d{1,3})=)?(\d{1,4})$/.exec(text)
    if (match === null) throw new UsageError(`--connections takes N or SHARD=N, such as 2 or 3=2, not "${text}"`)
    if (match[1] === undefined) everywhere = Number(match[2])
    else ofShard.set(Number(match[1]), Number(match[2]))
  }
  const largest = Math.max(...[...symbols.values()].map(({ length }) => length))
  const fewest = Math.max(1, Math.ceil(largest / Math.max(1, capacityOf(everywhere ?? 1))))
  const shards = wholeNumber(values, 'shards', 1, MAX_SHARDS) ?? previous?.shards.length ?? Math.min(fewest, MAX_SHARDS)
  for (const shard of ofShard.keys()) {
    if (shard < 1 || shard > shards) throw new UsageError(`--connections names shard ${shard} of ${shards}`)
  }
  return Array.from(
    { length: shards },
    (_, at) => ofShard.get(at + 1) ?? everywhere ?? previous?.shards[at]?.connections ?? 1,
  )
}

/** The pins of the previous plan, without those of --unpin, with those of --pin. */
function readPins(
  values: Values,
  symbols: ReadonlyMap<FeedId, readonly string[]>,
  previous: Plan | null,
): readonly Pin[] {
  const keyOf = (feed: FeedId, symbol: string): string => `${feed} ${instrumentId(feedAsset(feed), symbol)}`
  const planned = new Set([...symbols].flatMap(([feed, list]) => list.map((symbol) => keyOf(feed, symbol))))
  const one = (text: string, option: string): { readonly feed: FeedId; readonly symbol: string } => {
    const [[feed, list] = []] = readFeedSymbols([text])
    if (feed === undefined || list?.length !== 1) throw new UsageError(`--${option} takes one symbol, not "${text}"`)
    return { feed, symbol: list[0] }
  }
  const pins = new Map((previous?.pins ?? []).map((pin) => [keyOf(pin.feed, pin.symbol), pin]))
  for (const text of values.texts('unpin')) {
    const { feed, symbol } = one(text, 'unpin')
    if (!pins.delete(keyOf(feed, symbol))) throw new UsageError(`${feed}:${symbol} isn’t pinned`)
  }
  for (const text of values.texts('pin')) {
    const match = /^(.+)=(\d{1,3})$/.exec(text)
    if (match === null) throw new UsageError(`--pin takes FEED:SYMBOL=SHARD, not "${text}"`)
    const { feed, symbol } = one(match[1], 'pin')
    if (!planned.has(keyOf(feed, symbol)))
      throw new UsageError(`--pin names ${feed}:${symbol}, which isn’t in the plan`)
    pins.set(keyOf(feed, symbol), { feed, symbol, shard: Number(match[2]) })
  }
  return [...pins.values()]
}

const jsonOf = (team: string, revision: number | null, plan: Plan, previous: Plan | null): string =>
  jsonLine('plan', { team, revision, ...plan, moves: comparePlans(previous, plan) })

function textOf(plan: Plan, previous: Plan | null): string {
  const feeds = FEED_IDS.filter((feed) => plan.shards.some(({ symbols }) => symbols[feed] !== undefined))
  const rows = plan.shards.map(({ shard, connections, symbols }) => [
    String(shard),
    String(connections),
    ...feeds.map((feed) => `${symbols[feed]?.length ?? 0}/${capacityOf(connections)}`),
  ])
  const table = [['shard', 'connections', ...feeds], ...rows]
  const widths = table[0].map((_, at) => Math.max(...table.map((row) => row[at].length)))
  const lines = table.map((row) => `${row.map((cell, at) => cell.padStart(widths[at])).join('  ')}\n`)
  return `${lines.join('')}${previous === null ? '' : movesText(comparePlans(previous, plan))}`
}

function movesText(moves: readonly Move[]): string {
  if (moves.length === 0) return 'No symbol moves.\n'
  const lines = moves.slice(0, MOST_MOVES).map(({ feed, symbol, from, to }) => {
    if (from === null) return `  ${feed}:${symbol} is added to shard ${to}\n`
    return to === null ? `  ${feed}:${symbol} is removed\n` : `  ${feed}:${symbol} moves from shard ${from} to ${to}\n`
  })
  const more = moves.length > MOST_MOVES ? `  and ${moves.length - MOST_MOVES} more; --json lists all\n` : ''
  return `${countText(moves.length, 'change')}:\n${lines.join('')}${more}`
}
