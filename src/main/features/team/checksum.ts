/** Texts in the buckets of a team, with a checksum: a server or network that changes one would otherwise be believed. */
import { crc32 } from 'node:zlib'
import type { SessionId } from '../../../shared/base/units.ts'

/** A dot isn't one bit away from a digit, so a damaged one makes no number of a checksum and a watermark. */
const CHECKED = /^([0-9a-f]{8})\.(.*)$/s

const checksum = (text: string, key: string): string => crc32(`${key}\n${text}`).toString(16).padStart(8, '0')

/** `key`: what the text belongs to, if it doesn't say so itself. */
export const addChecksum = (text: string, key = ''): string => `${checksum(text, key)}.${text}`

/** The text; null if it was changed. A text without a checksum, as recorders wrote at first, is given as it is. */
export function readChecked(stored: string, key = ''): string | null {
  const [, found, text] = CHECKED.exec(stored) ?? []
  if (text === undefined) return stored
  return checksum(text, key) === found ? text : null
}

/** How far the history has a session. */
export interface Watermark {
  readonly lastSeq: number
  /** It has the session's close record, too, and all of the session is as that says. */
  readonly isComplete: boolean
}

const WATERMARK = /^(\d{1,16})( complete)?$/

export const encodeWatermark = (session: SessionId, { lastSeq, isComplete }: Watermark): string =>
  addChecksum(`${lastSeq}${isComplete ? ' complete' : ''}`, session)

/** How far the history has a session; null if `stored` says nothing or was damaged. */
export function decodeWatermark(session: string, stored: string | null): Watermark | null {
  const [, seq, complete] = WATERMARK.exec((stored === null ? null : readChecked(stored, session)) ?? '') ?? []
  const lastSeq = Number(seq)
  return Number.isSafeInteger(lastSeq) ? { lastSeq, isComplete: complete !== undefined } : null
}
