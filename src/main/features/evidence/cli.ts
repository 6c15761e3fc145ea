/** `tapedeck verify`: checks stored sessions against their ledger, and compares ticks with the service's own bars. */
import { jsonLine } from '../../base/json-schema.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import {
  ASSET_CLASSES,
  instrumentKey,
  unixMs,
  type FeedId,
  type SessionId,
  type UnixMs,
} from '../../../shared/base/units.ts'
import { differenceCount, type Problem, type VerifyReport } from '../../../shared/core/recording/session.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { totalAgreement } from './agreement.ts'
import { defineCommand, UsageError, type Command, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { findSession, SESSION_HELP } from '../../command-line/sessions.ts'
import { withReader } from '../../core/store/with-reader.ts'

/** Display names of problem kinds whose codes, used in JSON, aren't self-explanatory. */
const KIND_TEXT: Partial<Record<Problem['kind'], string>> = { doubled: 'duplicated', torn: 'corrupt' }

/** Agreement between a session's tick bars and the service's own bars, counted in minutes. */
interface Agreement {
  readonly session: string
  readonly symbol: string
  readonly of: string
  readonly agrees: number
  readonly differs: number
  readonly not_comparable: number
  /** 0 to 1. Null if nothing could be compared. */
  readonly agreement: number | null
  /** The first minutes that differ. */
  readonly differing: readonly string[]
}

/** Something other than the store that can be verified, named with options of its own. */
export interface Verifiable {
  readonly options: Command['options']
  readonly example: readonly [what: string, args: string]
  /** Whether the options name it. Throws UsageError if they don't fit together. */
  isNamed(values: Values): boolean
  /** `onProgress` gets a fraction from 0 to 1. */
  verify(values: Values, context: Context, onProgress: (done: number) => void): Promise<VerifyReport>
  /** What to print after the report, a sentence each. */
  describe(report: VerifyReport, values: Values): Promise<readonly string[]>
}

/** The command, for the store and for the history of a team. */
export const verifyCommand = (history: Verifiable): Command =>
  defineCommand({
    examples: [
      ['Everything', ''],
      ['One session', '--session ID --json'],
      ['How well a symbol’s ticks agree with the service’s own bars', '--agreement --symbol BTC-USD'],
      history.example,
    ],
    options: {
      session: { type: 'string', value: 'ID', help: `Only this session: ${SESSION_HELP} (default: all)` },
      agreement: {
        type: 'boolean',
        help: 'Also compare ticks with the service’s own bars; doesn’t affect the exit code',
      },
      symbol: {
        type: 'string',
        multiple: true,
        value: 'S',
        help: 'Compare only this symbol, by any alias; repeatable',
      },
      ...history.options,
    },
    async run(values, context) {
      const named = values.text('session')
      const symbols = values.texts('symbol')
      if (symbols.length > 0 && !values.on('agreement')) throw new UsageError('--symbol requires --agreement')
      const draw = (done: number): void => progress(values, context, 'verifying', done)
      if (history.isNamed(values)) {
        if (values.on('agreement')) throw new UsageError('--history and --agreement can’t be combined')
        const report = await history.verify(values, context, draw)
        const code = printReport(report, null, 'history', values, context)
        if (!values.on('json')) for (const line of await history.describe(report, values)) context.out(`${line}\n`)
        return code
      }
      const { report, agreement } = await withReader(values, context, async (reader) => {
        const session = named === undefined ? null : findSession(await reader.sessions(true), named).session
        await refuseUnknownSymbols(reader, session, symbols)
        return {
          report: await reader.verify(session, draw, context.signal),
          agreement: values.on('agreement') ? await agreementOf(reader, session, values, context) : null,
        }
      })
      return printReport(report, agreement, 'store', values, context)
    },
  })

/** Prints what was found. Returns the exit code. */
function printReport(
  report: VerifyReport,
  agreement: readonly Agreement[] | null,
  what: 'store' | 'history',
  values: Values,
  context: Context,
): number {
  const { sessions, messages, ok, problems, unlisted = 0 } = report
  if (context.interactive && !values.on('json')) context.err('\r\x1b[K')
  if (values.on('json')) {
    context.out(jsonLine('verify', agreement === null ? report : { ...report, agreement }))
  } else {
    for (const { session: id, kind, feed, detail } of problems) {
      context.out(`${id}  ${feed ?? '-'}  ${KIND_TEXT[kind] ?? kind}: ${detail}\n`)
    }
    if (unlisted > 0) context.out(`${unlisted} more, which aren’t listed\n`)
    context.out(
      `${countText(sessions, 'session')}, ${countText(messages, 'message')}: ${ok ? 'all as recorded' : 'NOT as recorded'}\n`,
    )
    for (const one of agreement ?? []) context.out(sentence(one))
    if (agreement?.length === 0)
      context.out('Nothing to compare: no session has both ticks and bars from the service.\n')
  }
  if (ok) return EXIT.ok
  context.err(`tapedeck: the ${what} has ${countText(differenceCount(report), 'problem')}.\n`)
  return EXIT.failed
}

/** Throws `not-found` if no session has a requested symbol, so that a typo doesn't pass as agreement. */
async function refuseUnknownSymbols(
  reader: StoreReader,
  session: SessionId | null,
  symbols: readonly string[],
): Promise<void> {
  if (symbols.length === 0) return
  const recorded = new Map<string, string>()
  for (const row of await reader.sessions(true)) {
    if (session !== null && row.session !== session) continue
    for (const { feed } of row.feeds) {
      for (const { symbols: aliases } of await reader.instruments({ feed, session: row.session })) {
        for (const one of aliases) recorded.set(instrumentKey(FEEDS[feed].asset, one), one)
      }
    }
  }
  const unknown = symbols.filter((one) => !ASSET_CLASSES.some((asset) => recorded.has(instrumentKey(asset, one))))
  if (unknown.length === 0) return
  throw new CodedError('not-found', `No session has ${unknown.join(', ')}.`, {
    hint: `Recorded: ${[...new Set(recorded.values())].sort().join(', ') || 'nothing'}.`,
  })
}

function progress(values: Values, context: Context, what: string, done: number): void {
  if (context.interactive && !values.on('json')) context.err(`\r${what} ${Math.floor(done * 100)} % `)
}

/** The agreement of every session that has ticks and service bars, per symbol, oldest session first. */
async function agreementOf(
  reader: StoreReader,
  session: SessionId | null,
  values: Values,
  context: Context,
): Promise<readonly Agreement[]> {
  const symbols = values.texts('symbol')
  const found: Agreement[] = []
  const rows = (await reader.sessions(true)).filter((row) =>
    session === null ? row.binnedMs === null : row.session === session,
  )
  for (const [i, row] of rows.entries()) {
    const has = (feed: FeedId): boolean => row.feeds.some((one) => one.feed === feed && one.stored > 0)
    const now: UnixMs = row.endedMs ?? unixMs(context.clock.wallMs())
    for (const feed of row.feeds.map((one) => one.feed).filter(has)) {
      const { asset } = FEEDS[feed]
      const ticks = TICK_FEEDS[asset].find((one) => FEEDS[one].kind === 'trade') ?? TICK_FEEDS[asset][0]
      if (feed !== ticks) continue
      for (const { instrument, symbols: aliases } of await reader.instruments({ feed, session: row.session })) {
        const key = instrumentKey(asset, aliases.at(-1) ?? '')
        if (symbols.length > 0 && !symbols.some((one) => instrumentKey(asset, one) === key)) continue
        const view = { source: row.source, nowMs: now, upTo: null, past: false }
        const asked = { session: row.session, instrument, fromMs: null, toMs: null }
        const { counts, of, agreement, differing, sessions } = await totalAgreement(reader, view, asked, (done) => {
          if (context.signal.aborted) throw new CodedError('cancelled', 'The comparison was canceled.')
          progress(values, context, `comparing ${aliases.at(-1) ?? instrument}`, (i + done) / rows.length)
        })
        if (sessions.length === 0) continue
        found.push({
          session: row.session,
          symbol: aliases.at(-1) ?? instrument,
          of,
          agrees: counts.agrees,
          differs: counts.differs,
          not_comparable: counts.notComparable,
          agreement,
          differing: differing.map(({ startMs }) => new Date(startMs).toISOString()),
        })
      }
    }
  }
  return found
}

function sentence({ session, symbol, agrees, differs, not_comparable: not, agreement }: Agreement): string {
  const share = agreement === null ? 'nothing could be compared' : `${(agreement * 100).toFixed(2)} % agree`
  return `${session}  ${symbol}  ${share}: ${countText(agrees, 'minute agrees', 'minutes agree')}, ${countText(differs, 'differs', 'differ')}, ${not} not comparable\n`
}
