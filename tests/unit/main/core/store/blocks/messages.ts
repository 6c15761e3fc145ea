/** Message columns from texts, for tests. */
import type { MessageColumns } from '../../../../../../src/main/core/store/types/messages.ts'

export interface Stamps {
  readonly seq: number
  readonly conn: number
  readonly connSeq: number
  readonly recvMs: number
  readonly monoNs: number
  readonly flags: number
}

const encoder = new TextEncoder()

/** Columns of frames. Default stamps count up from the first. */
export function messagesOf(frames: readonly (string | Uint8Array)[], stamps: readonly Stamps[] = []): MessageColumns {
  const parts = frames.map((f) => (typeof f === 'string' ? encoder.encode(f) : f))
  const offsets = new Uint32Array(parts.length + 1)
  parts.forEach((p, i) => (offsets[i + 1] = offsets[i] + p.length))
  const bytes = new Uint8Array(offsets[parts.length])
  parts.forEach((p, i) => bytes.set(p, offsets[i]))
  const of = (i: number): Stamps =>
    stamps[i] ?? {
      seq: i + 1,
      conn: 1,
      connSeq: i + 1,
      recvMs: 1.7e12 + i * 3,
      monoNs: i * 3e6 + (i % 7) * 1100,
      flags: 0,
    }
  return {
    count: parts.length,
    seq: Float64Array.from(parts, (_, i) => of(i).seq),
    conn: Uint32Array.from(parts, (_, i) => of(i).conn),
    connSeq: Uint32Array.from(parts, (_, i) => of(i).connSeq),
    recvMs: Float64Array.from(parts, (_, i) => of(i).recvMs),
    monoNs: Float64Array.from(parts, (_, i) => of(i).monoNs),
    flags: Uint8Array.from(parts, (_, i) => of(i).flags),
    offsets,
    bytes,
  }
}
