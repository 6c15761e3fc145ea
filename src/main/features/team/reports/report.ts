/**
 * What members of a team say about themselves every few seconds, in the bucket `reports`: what the servers can't know,
 * such as how much a recorder keeps, and who stands by. The bucket drops a report that isn't renewed, so a member
 * without one is away. Reports are only shown; nothing else relies on them.
 */
import * as v from 'valibot'
import { TEAM_LIMITS_MS } from '../../../../shared/features/team/limits.ts'
import { SESSION_ID, sessionId } from '../../../../shared/base/units.ts'
import { type Clock, waitUntil } from '../../../base/clock.ts'
import { MAX_SHARDS } from '../names.ts'
import type { TeamBucket } from '../nats/team-log.ts'

const REPORT_MS = 5_000
/** When a report is tried again that the servers didn't take: theirs may have expired while they were away. */
const RETRY_MS = 500
/** How long the bucket keeps a report that isn't renewed, ms: one that is missing means that its member is gone. */
export const REPORT_TTL_MS = TEAM_LIMITS_MS.gone
const MAX_TEXT = 1_000
export const MAX_SESSIONS = 1_000

const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const SHARD = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_SHARDS))
const TEXT = v.pipe(v.string(), v.maxLength(MAX_TEXT))

const RECORDER = v.object({
  version: v.literal(1),
  role: v.literal('recorder'),
  /** Names it for people. */
  name: TEXT,
  /** Null: it stands by. */
  shard: v.nullable(SHARD),
  epoch: COUNT,
  /** Sessions that it keeps because the history hasn't committed them. */
  spoolBytes: COUNT,
  /** As set with --spool-max. */
  spoolLimitBytes: v.nullable(COUNT),
  /** Messages and entries that it has committed and the log doesn't have. */
  unpublished: COUNT,
  /** What keeps it from publishing. */
  trouble: v.nullable(TEXT),
  /** Open sessions that it publishes: terminals see by them whether their recorder is there. */
  sessions: v.optional(
    v.pipe(
      v.array(v.pipe(v.string(), v.regex(SESSION_ID), v.transform(sessionId))),
      v.maxLength(MAX_SESSIONS),
      v.readonly(),
    ),
    [],
  ),
})

const ARCHIVER = v.object({
  version: v.literal(1),
  role: v.literal('archiver'),
  name: TEXT,
  /** The shards that it archives. */
  shards: v.pipe(
    v.array(
      v.object({
        shard: SHARD,
        /** Times that frames were missing and were read from the log again, since it started. */
        missing: COUNT,
        /** Why the shard has stopped, or what it waits for. */
        trouble: v.nullable(TEXT),
      }),
    ),
    v.maxLength(MAX_SHARDS),
  ),
})

const REPORT = v.variant('role', [RECORDER, ARCHIVER])

export type RecorderReport = Omit<v.InferOutput<typeof RECORDER>, 'version'>
export type ArchiverReport = Omit<v.InferOutput<typeof ARCHIVER>, 'version'>
export type MemberReport = RecorderReport | ArchiverReport

export const encodeReport = (report: MemberReport): string => JSON.stringify({ version: 1, ...report })

/** Null: another version wrote it, or somebody else. */
export function decodeReport(text: string): MemberReport | null {
  try {
    const { version: _, ...report } = v.parse(REPORT, JSON.parse(text))
    return report
  } catch {
    return null
  }
}

/** The reports of everyone who is there. Rejects with `not-found` where there is no bucket. */
export async function readReports(bucket: Pick<TeamBucket, 'entries'>): Promise<readonly MemberReport[]> {
  const entries = await bucket.entries()
  return entries.flatMap(({ value }) => (value === null ? [] : (decodeReport(value) ?? [])))
}

/**
 * Reports until `signal` aborts, then takes the report back. Never rejects: what a member does says what is wrong with the
 * servers. `bucket` may return null while there is no connection. `token`: names this process. `onChange` gets what makes
 * it report at once.
 */
export async function keepReporting(
  bucket: () => Pick<TeamBucket, 'put' | 'delete'> | null,
  token: string,
  read: () => MemberReport,
  clock: Clock,
  signal: AbortSignal,
  onChange: (reportNow: () => void) => void = () => undefined,
): Promise<void> {
  const key = (): string => `${read().role}.${token}`
  let changed = new AbortController()
  onChange(() => changed.abort())
  while (!signal.aborted) {
    changed = new AbortController()
    const revision = await bucket()
      ?.put(key(), encodeReport(read()))
      .catch(() => undefined)
    const isStored = revision !== undefined
    const wake = isStored ? AbortSignal.any([signal, changed.signal]) : signal
    await waitUntil(clock, wake, isStored ? REPORT_MS : RETRY_MS)
  }
  await bucket()
    ?.delete(key())
    .catch(() => undefined)
}

/** A text that fits into a report. */
export const reportText = (text: string): string => text.slice(0, MAX_TEXT)
