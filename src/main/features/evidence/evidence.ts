/** Evidence for windows: verification as a job, coverage, agreement, and the messages behind a displayed value. */
import { countText } from '../../../shared/base/count-text.ts'
import { coverageOf } from '../../../shared/features/evidence/coverage.ts'
import type { CallArgs } from '../../../shared/contracts.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type {
  AgreementReport,
  AgreementSeconds,
  CoverageReport,
  MessagesPage,
  SessionVerification,
} from '../../../shared/features/evidence/evidence.ts'
import type { JobId } from '../../../shared/core/jobs/jobs.ts'
import { sessionId, unixMs, type InstrumentId } from '../../../shared/base/units.ts'
import { differenceCount } from '../../../shared/core/recording/session.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { readAgreement, readSeconds, totalAgreement } from './agreement.ts'
import { readMessages } from './messages.ts'
import { ViewSessions, visibleSessions } from '../../core/views/view-sessions.ts'
import type { EvidenceView } from './view.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'

export interface EvidenceOptions {
  readonly reader: StoreReader
  /** Opens a separate reader for a job, because jobs take long and must not block other reads. */
  readonly openReader: () => Promise<StoreReader>
  readonly jobs: Jobs
  /** Returns the evidence view of a market view, once all it shows is stored. Rejects with `not-found`. */
  readonly view: (view: string) => Promise<EvidenceView>
  readonly decimals: (instrument: InstrumentId) => number
}

/** Evidence requests from windows. They fail with `not-found` for an unknown view or session. */
export interface Evidence {
  /** Starts a job of kind `verify`; its result is a SessionVerification. */
  verify(session: string | null): JobId
  coverage(args: CallArgs<'evidence.coverage'>): Promise<CoverageReport>
  agreement(args: CallArgs<'evidence.agreement'>): Promise<AgreementReport>
  /** Starts a job of kind `agreement`; its result is an AgreementTotal. */
  agree(args: CallArgs<'evidence.agree'>): JobId
  seconds(args: CallArgs<'evidence.seconds'>): Promise<AgreementSeconds>
  messages(args: CallArgs<'evidence.messages'>): Promise<MessagesPage>
}

/** Creates the evidence service over a store that other parts write. */
export function createEvidence({ reader, openReader, jobs, view, decimals }: EvidenceOptions): Evidence {
  const recorded = new ViewSessions(reader)
  return {
    verify: (session) =>
      jobs.start(
        'verify',
        session === null ? 'all sessions' : `session ${session}`,
        'messages',
        async (tell, signal) => {
          const own = await openReader()
          try {
            const report = await own.verify(
              session === null ? null : sessionId(session),
              (done, count) => tell({ done, count }),
              signal,
            )
            tell({ count: report.messages })
            const found = countText(differenceCount(report), 'difference')
            return {
              text: report.ok
                ? `${countText(report.messages, 'message')}: all as recorded.`
                : `NOT as recorded: ${found}.`,
              result: {
                ...report,
                session: session === null ? null : sessionId(session),
              } satisfies SessionVerification,
            }
          } finally {
            await own.close()
          }
        },
      ),
    async coverage({ view: name, fromMs, toMs, session, skip, limit, symbolsOf = null }) {
      const seen = await view(name)
      const rows =
        session === null || seen.past
          ? await visibleSessions(reader, seen)
          : (await reader.sessions(true)).filter((row) => row.session === session)
      const chosen = session === null ? rows : rows.filter((row) => row.session === session)
      if (session !== null && chosen.length === 0) throw new CodedError('not-found', `There is no session ${session}.`)
      const range = {
        fromMs: fromMs ?? Math.min(seen.nowMs, ...chosen.map((row) => row.startedMs)),
        toMs: Math.min(seen.nowMs, toMs ?? Infinity),
      }
      // Include gaps that end exactly at the start of the range.
      const inRange = { fromMs: range.fromMs - 1, toMs: range.toMs }
      const of = session === null ? { source: seen.source } : { session: sessionId(session) }
      const sessions = await recorded.within(seen, chosen, range, await reader.gaps({ ...of, ...inRange }))
      const { feeds, covered, symbols, gaps } = coverageOf(sessions, range, seen.nowMs, symbolsOf)
      return {
        fromMs: unixMs(range.fromMs),
        toMs: unixMs(range.toMs),
        sessions: sessions.map(({ session }) => session),
        feeds,
        covered,
        symbols,
        gaps: gaps.slice(skip, skip + limit),
        gapCount: gaps.length,
      }
    },
    agreement: async ({ view: name, ...args }) => readAgreement(reader, await view(name), args),
    agree: ({ view: name, ...args }) =>
      jobs.start(
        'agreement',
        args.session === null ? `all sessions of ${args.instrument}` : `session ${args.session}`,
        'minutes',
        async (tell, signal) => {
          const own = await openReader()
          try {
            const result = await totalAgreement(own, await view(name), args, (done, count) => {
              if (signal.aborted) throw new CodedError('cancelled', 'The comparison was canceled.')
              tell({ done, count })
            })
            const { agrees, differs, notComparable } = result.counts
            return {
              text: `${countText(agrees, 'minute agrees', 'minutes agree')}, ${countText(differs, 'differs', 'differ')}, ${notComparable} not comparable.`,
              result,
            }
          } finally {
            await own.close()
          }
        },
      ),
    seconds: async ({ view: name, ...args }) => readSeconds(reader, await view(name), args),
    async messages(args) {
      const page = await readMessages(reader, await view(args.view), args)
      return { ...page, decimals: decimals(args.instrument) }
    },
  }
}
