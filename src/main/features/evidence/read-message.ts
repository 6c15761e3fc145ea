/** A stored message as evidence: its exact bytes and how they were decoded. */
import { isUtf8 } from 'node:buffer'
import type { EvidenceMessage } from '../../../shared/features/evidence/evidence.ts'
import { FLAG } from '../../../shared/core/recording/session.ts'
import { unixMs } from '../../../shared/base/units.ts'
import { KIND, scratch, type Scratch } from '../../../service/codec.ts'
import { decodeStored } from '../../../service/codecs/decode-stored.ts'
import type { TickColumns } from '../../core/store/types/ticks.ts'

const PARTS = [
  'price',
  'size',
  'bid',
  'ask',
  'bidSize',
  'askSize',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'startMs',
  'endMs',
] as const satisfies readonly (keyof Scratch)[]

const record = scratch()

export function readMessage(columns: TickColumns, i: number, roles: readonly string[]): EvidenceMessage {
  const bytes = columns.raw(i)
  const flags = columns.flags[i]
  const eventMs = (flags & FLAG.undated) === 0 ? columns.eventMs[i] : NaN
  const text = isUtf8(bytes)
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    session: columns.session,
    feed: columns.feed,
    conn: columns.conn[i],
    connSeq: columns.connSeq[i],
    seq: columns.seq[i],
    eventMs: Number.isNaN(eventMs) ? null : unixMs(eventMs),
    recvMs: unixMs(columns.recvMs[i]),
    flags,
    raw: text ? raw.toString('utf8') : null,
    rawBase64: text ? null : raw.toString('base64'),
    bytes: bytes.length,
    read: readAs(columns, flags, bytes),
    roles,
  }
}

function readAs(columns: TickColumns, flags: number, bytes: Uint8Array): EvidenceMessage['read'] {
  const found =
    (flags & FLAG.binary) !== 0 ? 'undecodable' : decodeStored(columns.feed, flags, bytes, 0, bytes.length, record)
  if (found !== 'market') return { kind: found, symbol: '', values: [], mapping: '', why: record.why }
  const values = PARTS.flatMap((part) => (Number.isNaN(record[part]) ? [] : [{ part, value: record[part] }]))
  return { kind: kindOf(record), symbol: record.symbol, values, mapping: record.mapping, why: record.why }
}

function kindOf({ kind }: Scratch): EvidenceMessage['read']['kind'] {
  switch (kind) {
    case KIND.trade:
      return 'trade'
    case KIND.quote:
      return 'quote'
    case KIND.bar:
      return 'bar'
    case KIND.unknown:
    case KIND.none:
      return 'unknown'
  }
}
