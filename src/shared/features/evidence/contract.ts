/** Evidence: verification as a job, coverage, agreement with the service's own bars, provenance. */
import * as v from 'valibot'
import { instrument, text } from '../../base/schemas.ts'
import type { AgreementReport, AgreementSeconds, CoverageReport, MessagesPage } from './evidence.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import { FEED_IDS, sessionId } from '../../base/units.ts'
import { interval, of } from '../../core/market/contract.ts'
import { priceRows } from '../../core/views/contract.ts'
import { call, limit, ms, view } from '../../rpc/contract.ts'

const session = text(64)
const sessionOf = v.pipe(session, v.transform(sessionId))
const seq = v.pipe(v.number(), v.integer(), v.minValue(0))
const place = v.strictObject({ session: sessionOf, seq })

/** What to show messages for: a bar, a trade of the tape, the current quote, or the trades of a span. */
const subject = v.variant('is', [
  v.strictObject({
    is: v.literal('bar'),
    of,
    interval,
    startMs: ms,
    /** Only its trades in one price row; see `PriceRows`. */
    cell: v.optional(v.strictObject({ ...priceRows.entries, row: v.pipe(v.number(), v.integer()) })),
  }),
  /** `session` null: the one recorded at `recvMs`; if that is null too, the newest. */
  v.strictObject({ is: v.literal('print'), session: v.nullable(sessionOf), seq, recvMs: v.nullable(ms) }),
  v.strictObject({ is: v.literal('quote') }),
  /** The trades in [fromMs, toMs), null: up to now. */
  v.strictObject({
    is: v.literal('trades'),
    fromMs: ms,
    toMs: v.nullable(ms),
    /** Only those in one price row; see `PriceRows`. */
    cell: v.optional(v.strictObject({ ...priceRows.entries, row: v.pipe(v.number(), v.integer()) })),
    /** Only those without a side, or without a current quote. */
    only: v.optional(v.picklist(['unsided', 'unquoted'])),
  }),
])
export type EvidenceSubject = v.InferOutput<typeof subject>

export const EVIDENCE_CALLS = {
  /** Starts a job of kind `verify` for one session or all. The result is a SessionVerification. Never modifies the store. */
  'evidence.verify': call<JobId>()(v.strictObject({ session: v.nullable(session) })),
  /**
   * Coverage of the view's source within [fromMs, toMs) (null: unbounded), or of one session. Gaps are a page, newest
   * first.
   */
  'evidence.coverage': call<CoverageReport>()(
    v.strictObject({
      view,
      fromMs: v.nullable(ms),
      toMs: v.nullable(ms),
      session: v.nullable(session),
      skip: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e9)),
      limit: limit(1_000),
      /** The feed to list by symbol; absent: none. */
      symbolsOf: v.optional(v.nullable(v.picklist(FEED_IDS))),
    }),
  ),
  /** Bars built from ticks compared with the service's, by minute: a page of at most two days, newest first. */
  'evidence.agreement': call<AgreementReport>()(
    v.strictObject({ view, session, instrument, beforeMs: v.optional(v.nullable(ms)) }),
  ),
  /**
   * Starts a job of kind `agreement` over a session, or the sessions of the view's source, within [fromMs, toMs) (null:
   * unbounded). The result is an AgreementTotal.
   */
  'evidence.agree': call<JobId>()(
    v.strictObject({ view, session: v.nullable(session), instrument, fromMs: v.nullable(ms), toMs: v.nullable(ms) }),
  ),
  /** The seconds of one minute of that comparison. */
  'evidence.seconds': call<AgreementSeconds>()(v.strictObject({ view, session, instrument, of, minuteMs: ms })),
  /** The messages behind something shown, oldest first. `after`: from the previous page, or null for the first. */
  'evidence.messages': call<MessagesPage>()(
    v.strictObject({ view, instrument, what: subject, after: v.nullable(place), limit: limit(500) }),
  ),
} as const
