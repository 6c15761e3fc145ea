/** `tapedeck tail`: prints decoded messages as they are received, or those of a stored session. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CodedError } from '../../../shared/base/errors.ts'
import { FEED_IDS, isFeedId, type FeedId } from '../../../shared/base/units.ts'
import type { SessionRow } from '../../../shared/core/recording/session.ts'
import { defineCommand, UsageError, type Context, type RunningNeeds, type Values } from '../../command-line/command.ts'
import { EXIT, exitWhenStopped } from '../../command-line/exit.ts'
import { readFeedSymbols } from '../../command-line/feeds.ts'
import { logLevel } from '../../command-line/log-level.ts'
import { findSession, SESSION_HELP } from '../../command-line/sessions.ts'
import { sourceKeyText, sourceText } from '../../command-line/source-text.ts'
import { INSTANT_HELP, instant, ZONE_OPTION } from '../../command-line/times.ts'
import { waitUntil } from '../../base/clock.ts'
import { requireAccount } from '../../core/account/cli.ts'
import { subscribeAll, type SymbolsByFeed } from '../../core/feeds/subscriptions.ts'
import { previous } from '../../core/playback/load-merge.ts'
import { openStoreReader } from '../../core/store/open.ts'
import { storePath } from '../../core/store/store-path.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { withReader } from '../../core/store/with-reader.ts'
import { live } from '../../core/views/live-feature.ts'
import type { HostOptions } from '../../terminal/host.ts'
import { createLines, headLine, type TailFormat } from './lines.ts'
import { createLiveTail } from './live.ts'
import { createFilter, tailRecorded, tailStored, type StoredTail, type Wanted } from './stored.ts'

/** How often what was received or recorded is printed, ms. */
const EVERY_MS = 100

const NEEDS = { live }
type Start = (options: HostOptions) => Promise<RunningNeeds<typeof NEEDS>>

export const tail = defineCommand({
  needs: NEEDS,
  examples: [
    ['Trades of the demo market, as they come', '--demo --feed crypto/XT:BTC-USD,ETH-USD'],
    ['What is being recorded now, as JSON Lines', '-f crypto/XT:BTC-USD --json'],
    ['The latest session from its start, as CSV', '--session latest -f crypto/XT --csv'],
  ],
  options: {
    feed: {
      type: 'string',
      multiple: true,
      value: 'FEED:SYMBOL,…',
      help: 'What to print (default: everything); for a session, whole feeds too; repeatable',
    },
    session: { type: 'string', value: 'ID', help: `Print this session instead: ${SESSION_HELP}` },
    from: {
      type: 'string',
      value: 'now|start|T',
      help: `Sessions: start now, at the beginning (default), or at this receive time: ${INSTANT_HELP}`,
    },
    zone: ZONE_OPTION,
    csv: { type: 'boolean', help: 'Print CSV, of one feed, with the columns of tapedeck/ticks/2' },
    demo: { type: 'boolean', help: 'Print the demo market' },
  },
  async run(values, context, start) {
    if (values.on('csv') && values.on('json')) throw new UsageError('--csv and --json can’t be combined')
    const wanted = readWanted(values)
    if (values.on('csv') && wanted?.size !== 1) {
      throw new UsageError('--csv prints one feed, because columns depend on it: name it with --feed')
    }
    const session = values.text('session')
    if (session !== undefined) return printSession(session, wanted, values, context)
    if (wanted === null || [...wanted.values()].some((symbols) => symbols.length === 0)) {
      throw new UsageError('name what to print with --feed, such as --feed crypto/XT:BTC-USD, or a --session')
    }
    const from = values.text('from') ?? 'now'
    if (from !== 'now') throw new UsageError('--from needs a --session: what isn’t recorded begins now')
    // Secrets in the environment name no market: they may be there for the recorder.
    const namesMarket = values.on('demo') || ['base-url', 'user'].some((name) => values.text(name) !== undefined)
    const recorded = namesMarket ? null : await findRecorded(wanted, values, context)
    if (recorded !== null) return printRecorded(recorded, wanted, values, context)
    return printLive(wanted, values, context, start)
  },
})

/** What `--feed` names; null without it. */
function readWanted(values: Values): Wanted {
  const texts = values.texts('feed')
  if (texts.length === 0) return null
  const whole = texts.filter((text) => !text.includes(':'))
  const unknown = whole.find((text) => !isFeedId(text))
  if (unknown !== undefined) throw new UsageError(`unknown feed "${unknown}"; use one of ${FEED_IDS.join(', ')}`)
  const some = readFeedSymbols(texts.filter((text) => text.includes(':')))
  return new Map<FeedId, readonly string[]>([...some, ...whole.filter(isFeedId).map((feed) => [feed, []] as const)])
}

const formatOf = (values: Values): TailFormat => (values.on('json') ? 'json' : values.on('csv') ? 'csv' : 'text')

/** Writes to standard output; `head` is the first line. */
function output(values: Values, context: Context, wanted: Wanted) {
  const format = formatOf(values)
  const line = createLines(format)
  const write = async (text: string): Promise<void> => {
    if (context.stream === undefined) context.out(text)
    else await context.stream(text)
  }
  return { line, write, head: headLine(format, wanted?.keys().next().value) }
}

async function printSession(name: string, wanted: Wanted, values: Values, context: Context): Promise<number> {
  return withReader(values, context, async (reader) => {
    const row = findSession(await reader.sessions(true), name)
    await refuseUnknown(reader, row, wanted)
    const afterSeq = await seqBefore(reader, row, values, context)
    return print(reader, row, afterSeq, wanted, values, context, async (tail) => void (await tailStored(tail)))
  })
}

/** Throws `not-found` for a feed or symbol that the session doesn't have. */
async function refuseUnknown(reader: StoreReader, row: SessionRow, wanted: Wanted): Promise<void> {
  for (const [feed, symbols] of wanted ?? []) {
    const stored = (await reader.instruments({ feed, session: row.session })).flatMap((one) => one.symbols)
    const isWanted = createFilter(new Map([[feed, symbols]]))
    const missing = symbols.filter(
      (symbol) => !stored.some((one) => createFilter(new Map([[feed, [symbol]]]))(feed, one)),
    )
    if (stored.some((one) => isWanted(feed, one)) && missing.length === 0) continue
    throw new CodedError(
      'not-found',
      `Session ${row.session} has no ${feed}${missing.length > 0 ? ` of ${missing.join(', ')}` : ''}.`,
      {
        hint: '"tapedeck symbols" lists what is stored.',
      },
    )
  }
}

/** The seq to print after. */
async function seqBefore(reader: StoreReader, row: SessionRow, values: Values, context: Context): Promise<number> {
  const from = values.text('from') ?? 'start'
  if (from === 'start') return 0
  const ms = from === 'now' ? Number.MAX_SAFE_INTEGER : previous(instant(values, 'from', context.clock) ?? 0)
  return (await reader.findPosition({ session: row.session, ms }))?.seq ?? 0
}

/** A session that is being recorded into the store now and has all of `wanted`; null if there is none. */
async function findRecorded(wanted: SymbolsByFeed, values: Values, context: Context): Promise<SessionRow | null> {
  const file = storePath(values, context)
  if (!existsSync(file)) return null
  const reader = await openStoreReader({ file, worker: context.workers.reader })
  try {
    const rows = (await reader.sessions(true)).filter((row) => row.live).toReversed()
    for (const row of rows) {
      if (
        await refuseUnknown(reader, row, wanted).then(
          () => true,
          () => false,
        )
      )
        return row
    }
    return null
  } finally {
    await reader.close()
  }
}

const printRecorded = (row: SessionRow, wanted: Wanted, values: Values, context: Context): Promise<number> =>
  withReader(values, context, async (reader) => {
    const source = sourceKeyText(row.source)
    const begins = (session: string): void =>
      context.err(`Printing what is recorded from ${source} into session ${session}.\n`)
    begins(row.session)
    const last = await reader.findPosition({ session: row.session, ms: Number.MAX_SAFE_INTEGER })
    const lost = (session: string): void =>
      context.err(
        `tapedeck: the recorder stopped without ending session ${session}, messages may be missing. Waiting a minute for it to record again.\n`,
      )
    return print(reader, row, last?.seq ?? 0, wanted, values, context, (tail) => tailRecorded(tail, { begins, lost }))
  })

async function print(
  reader: StoreReader,
  { session }: SessionRow,
  afterSeq: number,
  wanted: Wanted,
  values: Values,
  context: Context,
  follow: (tail: StoredTail) => Promise<void>,
): Promise<number> {
  const { line, write, head } = output(values, context, wanted)
  if (head !== '') await write(head)
  const wait = async (): Promise<boolean> =>
    (await waitUntil(context.clock, context.signal, EVERY_MS)) === 'time' && !context.signal.aborted
  await follow({ reader, session, afterSeq, wanted, line, write, wait })
  return context.signal.aborted ? exitWhenStopped(context.signal) : EXIT.ok
}

/** Connects and prints what arrives. Nothing is stored: the store it opens is an empty one, removed at the end. */
async function printLive(wanted: SymbolsByFeed, values: Values, context: Context, start: Start): Promise<number> {
  const account = requireAccount(values, context)
  const { line, write, head } = output(values, context, wanted)
  const folder = mkdtempSync(join(tmpdir(), 'tapedeck-tail-'))
  try {
    const { services, close } = await start({
      dataDir: context.dataDir,
      portable: context.portable,
      host: 'cli',
      version: context.version,
      storeFile: join(folder, 'tapedeck.db'),
      workers: context.workers,
      demoData: context.demoData,
      clock: context.clock,
      record: false,
      mustSignIn: true,
      wantWatchlists: false,
      logLevel: logLevel(values),
      onLog: ({ level, from, text }) => {
        if (from === 'feeds' && (level === 'warn' || level === 'error')) context.err(`tapedeck: ${text}\n`)
      },
      ...account,
    })
    try {
      const messages = createLiveTail(line, write, (feed, isOpen) =>
        context.err(`tapedeck: ${feed}: ${isOpen ? 'interrupted, messages may be missing' : 'resumed'}\n`),
      )
      services.live.onRecords(messages.sink)
      if (head !== '') await write(head)
      const subscription = subscribeAll(services.live.feeds, wanted)
      context.err(
        `Printing ${[...wanted.keys()].join(', ')} from ${sourceText(services.live.status.read())}. Nothing is recorded.\n`,
      )
      while ((await waitUntil(context.clock, context.signal, EVERY_MS)) === 'time') await messages.flush()
      subscription.release()
      await messages.flush()
    } finally {
      await close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return exitWhenStopped(context.signal)
}
