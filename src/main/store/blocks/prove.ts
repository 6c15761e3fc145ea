/** The proof that a block gives back what went in: done at sealing, before the journal is let go. */
import { CodedError } from '../../../shared/errors.ts'
import type { MessageColumns } from '../port.ts'
import { openBlock } from './open.ts'

/** Opens a block and compares every stamp and byte; throws `internal` at the first difference. */
export function proveBlock(block: Uint8Array, messages: MessageColumns, eventMs?: Float64Array): void {
  const open = openBlock(block)
  const again = open.messages()
  const { count } = messages
  const differs = (what: string): CodedError =>
    new CodedError('internal', `Sealing changed the ${what} of a message; it stays in the journal.`)
  if (again.count !== count) throw differs('count')
  for (const name of ['seq', 'conn', 'connSeq', 'recvMs', 'monoNs', 'flags'] as const) {
    const before = messages[name]
    const after = again[name]
    for (let i = 0; i < count; i++) if (!Object.is(before[i], after[i])) throw differs(name)
  }
  const base = messages.offsets[0] ?? 0
  for (let i = 0; i <= count; i++) {
    if (again.offsets[i] !== (messages.offsets[i] ?? 0) - base) throw differs('length')
  }
  const size = again.offsets[count] ?? 0
  const left = Buffer.from(messages.bytes.buffer, messages.bytes.byteOffset + base, size)
  if (left.compare(again.bytes, 0, size) !== 0) throw differs('text')
  if (eventMs === undefined) return
  const times = open.eventMs
  for (let i = 0; i < count; i++) if (!Object.is(times[i], eventMs[i])) throw differs('event time')
}
