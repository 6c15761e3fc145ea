/**
 * A stored message as a line of JSON: `{"feed","recv_ms","seq","message"}`, with the message's own bytes. A message that
 * isn't JSON on one line is `raw`, a string; one that isn't UTF-8 text is `raw_base64`.
 */
import { FLAG } from '../../../../shared/core/recording/session.ts'
import { FEED_IDS } from '../../../../shared/base/units.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d

const encoder = new TextEncoder()

/** What a line has around the receive time, the seq and the message. `feeds`: by index in FEED_IDS. */
export const LINE = {
  feeds: FEED_IDS.map((feed) => encoder.encode(`{"feed":"${feed}","recv_ms":`)),
  seq: encoder.encode(',"seq":'),
  message: encoder.encode(',"message":'),
  end: encoder.encode('}\n'),
} as const

/** The most that a line has besides its message or what stands for it. */
export const MAX_LINE_HEAD = 96

/** Flags of messages that never are in a line as they are. */
export const ODD_FLAGS = FLAG.undecodable | FLAG.invalidUtf8 | FLAG.binary

/** Whether a text doesn't fit in one line. */
export const hasBreak = (text: Uint8Array): boolean => text.includes(NEWLINE) || text.includes(RETURN)

/** What stands for a message that can't be in a line as it is. */
export function oddBody(message: Uint8Array, flags: number): Uint8Array {
  const text = Buffer.from(message.buffer, message.byteOffset, message.length)
  const isText = (flags & (FLAG.invalidUtf8 | FLAG.binary)) === 0
  return encoder.encode(
    isText ? `,"raw":${JSON.stringify(text.toString('utf8'))}` : `,"raw_base64":"${text.toString('base64')}"`,
  )
}

/** Writes a line up to its message. `feed`: index in FEED_IDS. Returns where it ends. */
export function putLineHead(feed: number, recvMs: number, seq: number, out: Uint8Array, at: number): number {
  let to = putText(LINE.feeds[feed], out, at)
  to = putTime(recvMs, out, to)
  to = putText(LINE.seq, out, to)
  return putWhole(seq, out, to)
}

/** Writes a short text; returns where it ends. */
export function putText(text: Uint8Array, out: Uint8Array, at: number): number {
  for (let i = 0; i < text.length; i++) out[at + i] = text[i]
  return at + text.length
}

/** A message's whole line. */
export function lineOf(feed: number, recvMs: number, seq: number, message: Uint8Array, flags: number): Uint8Array {
  const isOdd = (flags & ODD_FLAGS) !== 0 || hasBreak(message)
  const body = isOdd ? oddBody(message, flags) : message
  const out = new Uint8Array(MAX_LINE_HEAD + body.length)
  let at = putLineHead(feed, recvMs, seq, out, 0)
  if (!isOdd) at = putText(LINE.message, out, at)
  out.set(body, at)
  return out.subarray(0, putText(LINE.end, out, at + body.length))
}

/** Seqs below this are written with 32-bit arithmetic. */
const INT32 = 2 ** 31

/** Writes a whole number in decimal; returns where it ends. */
function putWhole(n: number, out: Uint8Array, at: number): number {
  if (n >= INT32) return at + encoder.encodeInto(String(n), out.subarray(at)).written
  let digits = 1
  for (let power = 10; power <= n; power *= 10) digits++
  const end = at + digits
  for (let i = end - 1, rest = n | 0; i >= at; i--) {
    const tenth = (rest / 10) | 0
    out[i] = 0x30 + rest - tenth * 10
    rest = tenth
  }
  return end
}

const MILLION = 1_000_000

/** Writes a time in whole milliseconds as two numbers of 32 bits, and others as they are; returns where it ends. */
function putTime(ms: number, out: Uint8Array, at: number): number {
  const high = Math.floor(ms / MILLION)
  const low = ms - high * MILLION
  if (!Number.isInteger(low) || !(high > 0 && high < INT32)) {
    return at + encoder.encodeInto(String(ms), out.subarray(at)).written
  }
  const end = putWhole(high, out, at) + 6
  for (let i = end - 1, rest = low | 0; i >= end - 6; i--) {
    const tenth = (rest / 10) | 0
    out[i] = 0x30 + rest - tenth * 10
    rest = tenth
  }
  return end
}
