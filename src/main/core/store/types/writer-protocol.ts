/** Messages between the writer and its thread. */
import type { Failure } from '../../../../shared/base/errors.ts'
import type { FeedCounts, GapCause, Source } from '../../../../shared/core/recording/recording.ts'
import type { RecordingId, UnixMs } from '../../../../shared/base/units.ts'
import type { Batch, Committed, NewBookmark, NewSnapshot, ImportDetails, LabelChange, StoreNotice } from './store.ts'

/** Requests to the library. An import's handle is the number of the call that began it. */
export type LibraryRequest =
  | { readonly is: 'import-begin'; readonly call: number; readonly about: ImportDetails }
  | {
      readonly is: 'import-append'
      readonly call: number
      readonly handle: number
      readonly batches: readonly Batch[]
    }
  | { readonly is: 'import-end' | 'import-abort'; readonly call: number; readonly handle: number }
  | { readonly is: 'label'; readonly call: number; readonly labels: readonly LabelChange[] }
  | { readonly is: 'erase'; readonly call: number; readonly sessions: readonly RecordingId[] }
  | { readonly is: 'compact' | 'compact-stop'; readonly call: number }

export type LibraryReply =
  | { readonly is: 'done'; readonly call: number; readonly value?: unknown }
  | { readonly is: 'progress'; readonly call: number; readonly done: number }
  | { readonly is: 'failed'; readonly call: number; readonly failure: Failure }

export type BookmarkRequest =
  | { readonly is: 'bookmark-add'; readonly call: number; readonly bookmark: NewBookmark }
  | { readonly is: 'bookmark-remove'; readonly call: number; readonly id: number }

export type WriterRequest =
  | { readonly is: 'library'; readonly request: LibraryRequest }
  | {
      readonly is: 'begin'
      readonly call: number
      readonly id: RecordingId
      readonly source: Source
      readonly startedMs: UnixMs
      /** Why sessions that are still open ended; `crash` for those not listed. */
      readonly causes: ReadonlyMap<RecordingId, GapCause>
    }
  | { readonly is: 'snapshot'; readonly snapshot: NewSnapshot }
  | BookmarkRequest
  | { readonly is: 'append'; readonly batch: Batch; readonly bytes: number }
  | { readonly is: 'end'; readonly call: number; readonly endedMs: UnixMs; readonly counts: readonly FeedCounts[] }
  | { readonly is: 'close'; readonly call: number }

export type WriterReply =
  | { readonly is: 'opened'; readonly notices: readonly StoreNotice[] }
  | LibraryReply
  | ({ readonly is: 'committed'; readonly bytes: number } & Committed)
  | { readonly is: 'trouble'; readonly failure: Failure }
  | { readonly is: 'recovered' }
  | { readonly is: 'died'; readonly failure: Failure }

/** Memory a queued batch takes, in bytes (an estimate). */
export function batchBytes({ messages: m, entries }: Batch): number {
  return m.count * 37 + (m.offsets[m.count] ?? 0) + entries.length * 200
}

/** The buffers of a batch, each once. They are transferred to the writer and returned when the batch is committed. */
export function batchBuffers({ messages: m }: Batch): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  for (const part of [m.seq, m.conn, m.connSeq, m.recvMs, m.monoNs, m.flags, m.offsets, m.bytes]) {
    if (part.buffer instanceof ArrayBuffer) buffers.add(part.buffer)
  }
  return [...buffers]
}
