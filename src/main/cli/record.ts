/** `tapedeck record`: records feeds until a time has passed or Ctrl+C. */
import { CodedError } from '../../shared/errors.ts'
import { countGaps, type SessionRow } from '../../shared/recording.ts'
import type { FeedStatus, StatusState } from '../../shared/state.ts'
import { isFeedId, FEED_IDS, type FeedId } from '../../shared/units.ts'
import { createTerminal } from '../terminal.ts'
import { openStoreReader } from '../store/open.ts'
import { accountOptions } from './account.ts'
import { duration, UsageError, type Command, type Values } from './command.ts'
import { EXIT } from './exit.ts'
import { logLevel } from './log-level.ts'
import { storePath } from './store-path.ts'
import { waitUntil } from './until.ts'

const PROGRESS_MS = 500

export const record: Command = {
  name: 'record',
  summary: 'Records feeds until the duration ends or Ctrl+C.',
  examples: [
    ['Half a minute of the demo market', '--demo --feed crypto/XT:BTC-USD,ETH-USD --duration 30s'],
    ['Two feeds of the account of the window, until Ctrl+C', '--feed crypto/XT:BTC-USD --feed forex/C:EURUSD'],
  ],
  options: {
    feed: {
      type: 'string',
      multiple: true,
      value: 'FEED:SYMBOL,…',
      help: 'What to record, such as crypto/XT:BTC-USD,ETH-USD; repeats',
    },
    duration: { type: 'string', value: '30s', help: 'How long (default: until Ctrl+C)' },
    demo: { type: 'boolean', help: 'Record the demo market' },
  },
  async run(values, context) {
    const wanted = readFeeds(values)
    const ms = duration(values, 'duration') ?? null
    const json = values.on('json')
    const file = storePath(values, context)
    const startedMs = context.clock.wallMs()
    const terminal = await createTerminal({
      dataDir: context.dataDir,
      portable: context.portable,
      host: 'cli',
      version: context.version,
      storeFile: file,
      workers: context.workers,
      demoData: context.demoData,
      clock: context.clock,
      record: true,
      mustRecord: true,
      wantWatchlists: false,
      logLevel: logLevel(values),
      ...accountOptions(values, context),
    })
    let last: StatusState
    let how: 'time' | 'signal'
    const said = new Set<string>()
    let undo = () => {}
    try {
      for (const [feed, symbols] of wanted) terminal.want(feed, symbols)
      const progress = () => {
        undo = context.clock.after(PROGRESS_MS, progress)
        const now = terminal.status()
        for (const text of refusals(now.feeds, wanted)) {
          if (!said.has(text)) context.err(`${context.interactive ? '\r\x1b[K' : ''}${text}\n`)
          said.add(text)
        }
        if (context.interactive && !json) context.err(`\r\x1b[K${progressLine(now)}`)
      }
      progress()
      how = await waitUntil(context.clock, context.signal, ms)
      last = terminal.status()
    } finally {
      undo()
      if (context.interactive && !json) context.err('\r\x1b[K')
      await terminal.close()
    }
    const reader = await openStoreReader({ file, worker: context.workers.reader })
    const rows = (await reader.sessions()).filter((row) => row.startedMs >= startedMs - 1)
    await reader.close()
    const newest = rows.toSorted((a, b) => a.startedMs - b.startedMs).at(-1)
    if (!newest) throw new CodedError('disk-error', 'Nothing was recorded.', { hint: 'The log says why.' })
    const report = reportOf(newest.session, rows, [...wanted.keys()], last)
    if (json) context.out(`${JSON.stringify(report)}\n`)
    else {
      context.out(`session ${report.session}\n`)
      for (const { feed, received, decoded, undecodable, stored, gaps } of report.feeds) {
        context.out(
          `${feed}  received ${received}  decoded ${decoded}  undecodable ${undecodable}  stored ${stored}  gaps ${gaps}\n`,
        )
      }
    }
    if (how === 'signal') return EXIT.interrupted
    const dead = last.feeds.find(
      ({ feed, state, received }) => wanted.has(feed) && state.is === 'refused' && received === 0,
    )
    if (dead?.state.is === 'refused') {
      throw new CodedError(dead.state.why.code, `${dead.feed}: ${dead.state.why.message}`, {
        hint: dead.state.why.hint,
      })
    }
    return EXIT.ok
  },
}

/** Reads `--feed crypto/XT:BTC-USD,ETH-USD`, repeated; the same feed twice joins. */
export function readFeeds(values: Values): Map<FeedId, string[]> {
  const wanted = new Map<FeedId, string[]>()
  for (const text of values.texts('feed')) {
    const colon = text.indexOf(':')
    const feed = colon < 0 ? text : text.slice(0, colon)
    if (!isFeedId(feed)) throw new UsageError(`"${feed}" is no feed: they are ${FEED_IDS.join(', ')}`)
    const symbols = (colon < 0 ? '' : text.slice(colon + 1))
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean)
    if (symbols.length === 0) throw new UsageError(`--feed ${feed} names no symbol: write ${feed}:SYMBOL,SYMBOL`)
    wanted.set(feed, [...new Set([...(wanted.get(feed) ?? []), ...symbols])])
  }
  if (wanted.size === 0) throw new UsageError('name at least one --feed, such as --feed crypto/XT:BTC-USD')
  return wanted
}

function refusals(feeds: readonly FeedStatus[], wanted: ReadonlyMap<FeedId, unknown>): string[] {
  return feeds
    .filter(({ feed }) => wanted.has(feed))
    .flatMap(({ feed, state }) =>
      state.is === 'refused' || state.is === 'waiting'
        ? [`${feed}: ${state.why.message} ${state.why.hint}`.trim()]
        : [],
    )
}

function progressLine({ perSecond, received, stored, receiveToStored, feeds, gapsToday }: StatusState): string {
  const open = feeds.filter(({ state }) => state.is === 'open').length
  const lag = receiveToStored === null ? '–' : `${receiveToStored.p99.toFixed(1)} ms`
  return `${open} feeds open  ${Math.round(perSecond)} messages/s  received ${received}  stored ${stored}  lag p99 ${lag}  gaps ${gapsToday}`
}

interface Report {
  readonly session: string
  readonly feeds: readonly {
    readonly feed: FeedId
    readonly received: number
    readonly decoded: number
    readonly undecodable: number
    readonly stored: number
    readonly gaps: number
  }[]
  readonly bytes: number
  readonly lag_ms: { readonly p50: number; readonly p99: number; readonly max: number } | null
}

/** A recording that rolled at midnight is several sessions: counts are of all of them, the name is the newest's. */
function reportOf(session: string, rows: readonly SessionRow[], feeds: readonly FeedId[], last: StatusState): Report {
  return {
    session,
    feeds: feeds.map((feed) => {
      const counts = rows.flatMap((row) => row.feeds.filter((one) => one.feed === feed))
      const sum = (of: 'received' | 'decoded' | 'undecodable' | 'stored') =>
        counts.reduce((total, one) => total + one[of], 0)
      const gaps = rows.reduce((total, row) => total + countGaps(row.gaps.filter((gap) => gap.feed === feed)), 0)
      return {
        feed,
        received: sum('received'),
        decoded: sum('decoded'),
        undecodable: sum('undecodable'),
        stored: sum('stored'),
        gaps,
      }
    }),
    bytes: rows.reduce((total, row) => total + row.bytes, 0),
    lag_ms: last.receiveToStored,
  }
}
