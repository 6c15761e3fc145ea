/** `tapedeck symbols`, `feeds` and `stats`: what is stored, and what can be. */
import { jsonLine } from '../../base/json-schema.ts'
import { existsSync } from 'node:fs'
import { FEEDS } from '../../../service/feeds.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { FEED_IDS, isFeedId, type FeedId } from '../../../shared/base/units.ts'
import { isTeamKey, type SessionRow } from '../../../shared/core/recording/session.ts'
import { aligned } from '../../command-line/aligned.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { findSession, SESSION_HELP } from '../../command-line/sessions.ts'
import { storedSymbols } from '../../core/recording/symbol-json.ts'
import { storePath } from '../../core/store/store-path.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { withReader } from '../../core/store/with-reader.ts'
import { countFeeds, countSessions, type FeedStats } from './counts.ts'

const SESSION_OPTION = { type: 'string', value: 'ID', help: `Only this session: ${SESSION_HELP}` } as const
const FEED_OPTION = {
  type: 'string',
  value: 'FEED',
  help: 'Only this feed, such as crypto/XT',
  words: FEED_IDS,
} as const

/** Sessions that aren't in the bin, oldest first, or the one that `--session` names. */
async function chosenSessions(reader: StoreReader, values: Values): Promise<readonly SessionRow[]> {
  const rows = await reader.sessions()
  const name = values.text('session')
  if (name !== undefined) return [findSession(rows, name)]
  return rows.filter(({ binnedMs }) => binnedMs === null).toSorted((a, b) => a.startedMs - b.startedMs)
}

function readFeed(values: Values): FeedId | undefined {
  const feed = values.text('feed')
  if (feed !== undefined && !isFeedId(feed)) throw new UsageError(`--feed takes one of ${FEED_IDS.join(', ')}`)
  return feed
}

export const symbols = defineCommand({
  examples: [
    ['Every stored symbol', ''],
    ['Those of a feed in the latest session', '-f crypto/XT --session latest'],
  ],
  options: { feed: FEED_OPTION, session: SESSION_OPTION },
  async run(values, context) {
    const only = readFeed(values)
    return withReader(values, context, async (reader) => {
      const rows = await chosenSessions(reader, values)
      const lines: string[][] = []
      for (const source of [...new Set(rows.map((row) => row.source))].sort()) {
        const sessions = rows.filter((row) => row.source === source).map(({ session }) => session)
        for (const feed of only === undefined ? FEED_IDS : [only]) {
          for await (const found of storedSymbols(reader, { feed, source, sessions })) {
            const { symbol, messages, from, to } = found
            if (values.on('json')) context.out(`${JSON.stringify(found)}\n`)
            else lines.push([feed, symbol, String(messages), from ?? '-', to ?? '-', source])
          }
        }
      }
      if (lines.length > 0)
        context.out(aligned([['feed', 'symbol', 'messages', 'from', 'to', 'source'], ...lines], [2]))
      else if (!values.on('json')) context.err(`${nothingStored(only, rows)}\n`)
      return EXIT.ok
    })
  },
})

/** What stands for the time of the end where a session has none. */
function openEnd(rows: readonly SessionRow[]): string {
  if (rows.some(({ live }) => live)) return 'now'
  const isCopy = rows.every(({ endedMs, source }) => endedMs !== null || isTeamKey(source))
  return isCopy ? 'not complete' : 'cut off, unknown time'
}

/** Why no symbol is listed, and which feeds have some. */
function nothingStored(only: FeedId | undefined, rows: readonly SessionRow[]): string {
  const others = [...countFeeds(rows).values()].filter(({ messages }) => messages > 0).map(({ feed }) => feed)
  if (only === undefined || others.length === 0) return 'No symbols stored yet.'
  return `No symbols of ${only} are stored. Stored: ${others.join(', ')}.`
}

export const feeds = defineCommand({
  examples: [['What each feed sends, and what is stored of it', '']],
  options: {},
  async run(values, context) {
    const counts = await storedCounts(values, context)
    const lines = FEED_IDS.map((feed) => {
      const { title, kind, asset, minimumPlan, barMs, shape } = FEEDS[feed]
      const { messages, sessions } = counts.get(feed) ?? { messages: 0, sessions: 0 }
      if (values.on('json')) {
        const about = { feed, title, kind, asset, plan: minimumPlan, bar_ms: barMs, shape, sessions, messages }
        context.out(jsonLine('feed', about))
      }
      return [feed, title, kind, minimumPlan ?? '-', String(sessions), String(messages)]
    })
    if (!values.on('json')) {
      context.out(aligned([['feed', 'sends', 'kind', 'plan', 'sessions', 'messages'], ...lines], [4, 5]))
    }
    return EXIT.ok
  },
})

/** What is stored of each feed; empty without a store. */
async function storedCounts(values: Values, context: Context): Promise<ReadonlyMap<FeedId, FeedStats>> {
  if (!existsSync(storePath(values, context))) return new Map()
  return withReader(values, context, async (reader) => countFeeds(await chosenSessions(reader, values)))
}

export const stats = defineCommand({
  examples: [
    ['Totals of the store and of each feed', ''],
    ['Of the latest session, for scripts', '--session latest --json'],
  ],
  options: { session: SESSION_OPTION },
  async run(values, context) {
    return withReader(values, context, async (reader) => {
      const rows = await chosenSessions(reader, values)
      const total = countSessions(rows)
      if (total === null) throw new CodedError('not-found', 'No sessions recorded yet.')
      const byFeed = [...countFeeds(rows).values()]
      if (values.on('json')) {
        context.out(jsonLine('stats', { ...total, feeds: byFeed }))
        return EXIT.ok
      }
      const heads = [
        'feed',
        'sessions',
        'messages',
        'market',
        'control',
        'undecodable',
        'unasked',
        'gaps',
        'gap seconds',
      ]
      const lines = byFeed.map((one) => [
        one.feed,
        ...[one.sessions, one.messages, one.market, one.control, one.undecodable, one.unasked, one.gap_count].map(
          String,
        ),
        one.gap_seconds.toFixed(3),
      ])
      const { sessions, messages, bytes, bytes_per_message: each, started, ended } = total
      context.out(
        aligned([
          ['sessions', String(sessions)],
          ['from', started],
          ['to', ended ?? openEnd(rows)],
          ['messages', String(messages)],
          ['bytes', `${bytes}${each === null ? '' : ` (${each.toFixed(2)} per message)`}`],
        ]) + `\n${aligned([heads, ...lines], [1, 2, 3, 4, 5, 6, 7, 8])}`,
      )
      return EXIT.ok
    })
  },
})
