/** Proves that a block decodes to what went in, at sealing and before its journal rows are deleted. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { MessageColumns } from '../types/messages.ts'
import { ArrayScratch, textTarget, type TextTarget, type TextWriter } from './open-block.ts'
import { openBlock } from './open.ts'

/** Messages compared between two yields. */
const ROWS_PER_TURN = 1024
/** Texts that are written before they are compared. */
const TEXT_BYTES = 1 << 17

/** Most rows of a block whose memory is kept. */
const MAX_POOL_ROWS = 1 << 16

/** Memory that is used again for the next block. Undefined while a block is using it, and before the first. */
let pool: { readonly scratch: ArrayScratch; readonly out: TextTarget } | undefined

/** Opens a block and compares every stamp and byte, yielding often. Throws `internal` at the first difference. */
export function* proveInSteps(
  block: Uint8Array,
  messages: MessageColumns,
  eventMs?: Float64Array,
): Generator<undefined, void, void> {
  const buffers = pool ?? { scratch: new ArrayScratch(), out: textTarget(new Uint8Array(TEXT_BYTES)) }
  pool = undefined
  const open = openBlock(block, buffers.scratch)
  const { count } = messages
  if (open.count !== count) throw differs('count')
  for (const name of ['seq', 'conn', 'connSeq', 'recvMs', 'monoNs', 'flags'] as const) {
    if (!isSame(open[name], messages[name], count)) throw differs(name)
    yield
  }
  if (eventMs !== undefined && !isSame(open.eventMs, eventMs, count)) throw differs('event time')
  let row = 0
  for (let turn = ROWS_PER_TURN; row < count; turn += ROWS_PER_TURN) {
    yield
    while (row < Math.min(count, turn)) row = proveTexts(open.texts, messages, row, Math.min(count, turn), buffers.out)
  }
  if (count <= MAX_POOL_ROWS) pool = buffers
}

/** Compares the texts of rows from `from` on, as many as fit. Returns the row after them. */
function proveTexts(
  texts: TextWriter,
  { bytes, offsets }: MessageColumns,
  from: number,
  to: number,
  shared: TextTarget,
): number {
  const first = texts.room(from)
  const out = first > shared.bytes.length ? textTarget(new Uint8Array(first)) : shared
  const base = offsets[from]
  let row = from
  let at = 0
  for (; row < to && at + texts.room(row) <= out.bytes.length; row++) {
    at = texts.write(row, out, at)
    if (at !== offsets[row + 1] - base) throw differs('length')
  }
  const before = Buffer.from(bytes.buffer, bytes.byteOffset + base, at)
  if (before.compare(out.bytes, 0, at) !== 0) throw differs('text')
  return row
}

function differs(what: string): CodedError {
  return new CodedError('internal', `Sealing changed the ${what} of a message; it stays in the journal.`)
}

type Column = Float64Array | Uint32Array | Uint8Array

function isSame(after: Column, before: Column, count: number): boolean {
  const isOfOneType = after.BYTES_PER_ELEMENT === before.BYTES_PER_ELEMENT
  if (isOfOneType && bytesOf(after, count).equals(bytesOf(before, count))) return true
  // The same numbers can have other bytes only where both are NaN.
  for (let i = 0; i < count; i++) if (!Object.is(before[i], after[i])) return false
  return true
}

function bytesOf(column: Column, count: number): Buffer {
  const { buffer, byteOffset, byteLength } = column.subarray(0, count)
  return Buffer.from(buffer, byteOffset, byteLength)
}
