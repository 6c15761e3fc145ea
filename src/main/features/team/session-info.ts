/**
 * What a recorder tells the team about a session, in the bucket `sessions` under its id: when it begins, before its
 * first frame; and again when it has ended and its last frame is in the log.
 */
import * as v from 'valibot'
import { sha256 } from '../../../shared/base/schemas.ts'
import { SESSION_ID, sessionId, unixMs, type SessionId, type UnixMs } from '../../../shared/base/units.ts'
import type { Source } from '../../../shared/core/recording/session.ts'
import { addChecksum, readChecked } from './checksum.ts'
import { MAX_SHARDS } from './names.ts'
import { PUBLIC_KEY } from './sign/key-format.ts'

export interface SessionEnd {
  readonly endedMs: UnixMs
  readonly clean: boolean
  readonly lastSeq: number
  readonly messages: number
  readonly entries: number
  /** Head of each connection's chain, hex, as in the close record. */
  readonly heads: Readonly<Record<string, string>>
  /** The recorder's signature of this end, base64; absent: it didn't sign. */
  readonly signature?: string | undefined
}

export interface SessionInfo {
  readonly session: SessionId
  readonly shard: number
  readonly shards: number
  /** Names the recorder for people: its host name unless the user chose another. */
  readonly recorder: string
  /** The source in the recorder's own store. */
  readonly source: Source
  readonly startedMs: UnixMs
  /** Number of the lease under which it began. */
  readonly epoch: number
  /** Public key of the NKey with which the recorder signs; absent: it doesn't sign. */
  readonly key?: string | undefined
  /** Null while it is being recorded. */
  readonly end: SessionEnd | null
}

/** Whether a session has the later lease, or began later under the same one. */
export const isLater = (a: SessionInfo, b: SessionInfo): boolean =>
  a.epoch !== b.epoch ? a.epoch > b.epoch : a.startedMs > b.startedMs

/** Text that PostgreSQL can store, as text and in JSON. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
const TEXT = v.pipe(v.string(), v.maxLength(256), v.check(isStorable))
const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** The end of the year 9999: a session is filed under the day of its start, and later ones have no such name. */
const LAST_MS = 253_402_300_799_999
const MS = v.pipe(v.number(), v.minValue(0), v.maxValue(LAST_MS), v.transform(unixMs))
const SHARD = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_SHARDS))

const SESSION_INFO = v.object({
  version: v.literal(1),
  session: v.pipe(v.string(), v.regex(SESSION_ID), v.transform(sessionId)),
  shard: SHARD,
  shards: SHARD,
  recorder: TEXT,
  source: v.object({ kind: v.picklist(['demo', 'service', 'import']), origin: TEXT, user: TEXT }),
  startedMs: MS,
  epoch: COUNT,
  key: v.optional(v.pipe(v.string(), v.regex(PUBLIC_KEY))),
  end: v.nullable(
    v.object({
      endedMs: MS,
      clean: v.boolean(),
      lastSeq: COUNT,
      messages: COUNT,
      entries: COUNT,
      heads: v.record(v.pipe(v.string(), v.regex(/^\d{1,10}$/)), sha256),
      signature: v.optional(v.pipe(v.string(), v.maxLength(1_024), v.regex(/^[A-Za-z0-9+/]*={0,2}$/))),
    }),
  ),
})

export const encodeSessionInfo = (info: SessionInfo): string => addChecksum(JSON.stringify({ version: 1, ...info }))

/**
 * Reads what another machine wrote; null if it isn't a session's description that this version understands, or was
 * damaged on the way. Its recorder describes it again then.
 */
export function decodeSessionInfo(stored: string): SessionInfo | null {
  let value: unknown
  try {
    value = JSON.parse(readChecked(stored) ?? '')
  } catch {
    return null
  }
  const read = v.safeParse(SESSION_INFO, value)
  if (!read.success || read.output.shard > read.output.shards) return null
  const { version: _, ...info } = read.output
  return info
}
