/** Evidence: verification as a job, coverage, agreement with the service's own bars, provenance. */
import * as v from 'valibot'
import type { AgreementReport, AgreementSeconds, CoverageReport, MessagesPage } from './evidence.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import { FEED_IDS, recordingId } from '../../base/units.ts'
import { call, instrument, interval, limit, ms, of, text, view } from '../../rpc/contract.ts'

const session = text(64)
const recording = v.pipe(text(64), v.transform(recordingId))
const seq = v.pipe(v.number(), v.integer(), v.minValue(0))
const place = v.strictObject({ recording, seq })

/** What messages are asked for: those of a bar, of a print of the tape, or behind the quote as it stands. */
const subject = v.variant('is', [
  v.strictObject({ is: v.literal('bar'), of, interval, startMs: ms }),
  /** `recording` null: the one that held it at `recvMs`; where that is null too, the newest. */
  v.strictObject({ is: v.literal('print'), recording: v.nullable(recording), seq, recvMs: v.nullable(ms) }),
  v.strictObject({ is: v.literal('quote') }),
])
export type EvidenceSubject = v.InferOutput<typeof subject>

export const EVIDENCE_CALLS = {
  /** A job of kind `verify`, of one session or of all; its result is a VerifyReport. Never modifies. */
  'evidence.verify': call<JobId>()(v.strictObject({ session: v.nullable(session) })),
  /**
   * Coverage of the view's source within [fromMs, toMs) (null: without that bound), or of one session;
   * gaps as a page, newest first.
   */
  'evidence.coverage': call<CoverageReport>()(
    v.strictObject({
      view,
      fromMs: v.nullable(ms),
      toMs: v.nullable(ms),
      session: v.nullable(session),
      skip: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e9)),
      limit: limit(1_000),
      /** The feed whose symbols are told one by one; absent: none. */
      symbolsOf: v.optional(v.nullable(v.picklist(FEED_IDS))),
    }),
  ),
  /** Bars built from ticks against the service's own, minute by minute: a page of at most two days, the newest first. */
  'evidence.agreement': call<AgreementReport>()(
    v.strictObject({ view, session, instrument, beforeMs: v.optional(v.nullable(ms)) }),
  ),
  /**
   * A job of kind `agreement` over all of a session, or of the sessions of the view's source, within [fromMs, toMs)
   * (null: without that bound); its result is an AgreementTotal.
   */
  'evidence.agree': call<JobId>()(
    v.strictObject({ view, session: v.nullable(session), instrument, fromMs: v.nullable(ms), toMs: v.nullable(ms) }),
  ),
  /** The seconds of one minute of that. */
  'evidence.seconds': call<AgreementSeconds>()(v.strictObject({ view, session, instrument, of, minuteMs: ms })),
  /** The messages that something shown comes from, oldest first; `after` as a page gave it, null: the first page. */
  'evidence.messages': call<MessagesPage>()(
    v.strictObject({ view, instrument, what: subject, after: v.nullable(place), limit: limit(500) }),
  ),
} as const
