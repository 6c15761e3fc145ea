/** Proves that a block decodes to what went in, at sealing and before its journal rows are deleted. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { MessageColumns } from '../types/messages.ts'
import { openBlock } from './open.ts'

/** Messages compared between two yields. */
const ROWS_PER_TURN = 1024

/** Opens a block and compares every stamp and byte. Throws `internal` at the first difference. */
export function proveBlock(block: Uint8Array, messages: MessageColumns, eventMs?: Float64Array): void {
  for (const _ of proveInSteps(block, messages, eventMs));
}

/** Like `proveBlock`, yielding often. */
export function* proveInSteps(
  block: Uint8Array,
  messages: MessageColumns,
  eventMs?: Float64Array,
): Generator<undefined, void, void> {
  const open = openBlock(block)
  const { count } = messages
  if (open.count !== count) throw differs('count')
  for (const name of ['seq', 'conn', 'connSeq', 'recvMs', 'monoNs', 'flags'] as const) {
    if (!isSame(open[name], messages[name], count)) throw differs(name)
    yield
  }
  if (eventMs !== undefined && !isSame(open.eventMs, eventMs, count)) throw differs('event time')
  for (let from = 0; from < count; from += ROWS_PER_TURN) {
    yield
    const to = Math.min(count, from + ROWS_PER_TURN)
    const again = open.messages(from, to)
    const base = messages.offsets[from]
    for (let i = from; i <= to; i++) {
      if (again.offsets[i - from] !== messages.offsets[i] - base) throw differs('length')
    }
    const size = messages.offsets[to] - base
    const left = Buffer.from(messages.bytes.buffer, messages.bytes.byteOffset + base, size)
    if (left.compare(again.bytes, 0, size) !== 0) throw differs('text')
  }
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
