/** Encodes committed flushes as frames, and advances the heads of their chains. */
import { hasZstd } from '../../../base/zstd.ts'
import { encodeEntries } from '../../../core/store/format/entry-codec.ts'
import { entryRow } from '../../../core/store/format/ledger.ts'
import { ColumnsBuilder } from '../../../core/store/format/message-columns.ts'
import { encodeRows, MAX_ROWS } from '../../../core/store/format/row-codec.ts'
import { ByteWriter } from '../../../core/store/blocks/bytes.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { seal } from './envelope.ts'
import { findLastSeq, HAS_AFTER, HAS_BEFORE, MAX_ENTRIES, MAX_FLUSHES, MAX_SIGNATURE_BYTES, newChain } from './frame.ts'
import type { ChainHead, ChainHeads, CommittedFlush, Connection, FlushSize, FrameChain } from './frame.ts'
import { splitFrame, type WireMessage } from './parts.ts'
import { asResult, FrameError, type FrameResult } from './refusal.ts'
import { writeSections } from './sections.ts'

/** Content up to which flushes share a frame, bytes. A larger flush has a frame of its own. */
export const BUNDLE_BYTES = 256 << 10
/** What a message takes in addition to its bytes, and an entry in addition to its text, about. */
const ROW_BYTES = 16
const ENTRY_BYTES = 200

export interface EncodeOptions {
  readonly session: SessionId
  /** Number of the lease under which the frames are published. */
  readonly epoch: number
  /** The chains before the first flush. */
  readonly heads: ChainHeads
  /** The largest message that the server takes, bytes. */
  readonly maxPayload: number
  readonly bundleBytes?: number
  /** Signs each frame, which then holds every chain: gets its last seq and the chains after it. */
  readonly sign?: (lastSeq: number, heads: ChainHeads) => Uint8Array
  readonly canCompress?: boolean
}

export interface EncodedFlushes {
  /** In the order in which they have to be published. */
  readonly messages: readonly WireMessage[]
  /** The chains after the last flush. */
  readonly heads: ChainHeads
}

/**
 * Encodes consecutive flushes of a session, bundled up to `bundleBytes` and split where a frame exceeds `maxPayload`.
 * Refuses with `too-large` a flush of more than 96 MiB. Throws a TypeError for flushes that can't have been committed
 * like this: not consecutive, without content, or with leaves that don't fit.
 */
export function encodeFlushes(options: EncodeOptions, flushes: readonly CommittedFlush[]): FrameResult<EncodedFlushes> {
  return asResult(() => {
    const messages: WireMessage[] = []
    let { heads } = options
    const bundles = bundle(flushes, options.bundleBytes ?? BUNDLE_BYTES)
    for (const flushes of bundles) {
      const encoded = encodeFrame({ ...options, heads }, flushes)
      heads = encoded.heads
      messages.push(...splitFrame(encoded.frame, options.session, options.maxPayload))
    }
    return { messages, heads }
  })
}

/** The chains of a session after more flushes. Throws a TypeError for a connection that was never announced. */
export function advanceHeads(session: SessionId, heads: ChainHeads, flushes: readonly CommittedFlush[]): ChainHeads {
  const next = new Map<number, ChainHead>(heads)
  if (!next.has(0)) next.set(0, newChain(session, 0, ''))
  for (const { batch, leaves } of flushes) {
    for (const { conn, feed } of batch.connections ?? []) {
      if (next.has(conn)) throw new TypeError(`connection ${conn} of ${session} was announced twice`)
      next.set(conn, newChain(session, conn, feed))
    }
    for (const { conn, count, head } of leaves) {
      const start = next.get(conn)
      if (start === undefined) throw new TypeError(`connection ${conn} of ${session} was never announced`)
      next.set(conn, { head, messages: conn === 0 ? 0 : start.messages + count })
    }
  }
  return next
}

/** Groups whole flushes, in order. */
function bundle(flushes: readonly CommittedFlush[], most: number): CommittedFlush[][] {
  const bundles: CommittedFlush[][] = []
  let size = Infinity
  for (const flush of flushes) {
    const bytes = contentBytes([flush])
    if (size + bytes > most) {
      bundles.push([])
      size = 0
    }
    bundles.at(-1)?.push(flush)
    size += bytes
  }
  return bundles
}

/** What flushes take before they are compressed, about, bytes. */
export const contentBytes = (flushes: readonly CommittedFlush[]): number =>
  flushes.reduce((sum, { batch: { messages: m, entries } }) => {
    return sum + m.count * ROW_BYTES + m.offsets[m.count] + entries.length * ENTRY_BYTES
  }, 0)

function encodeFrame(
  options: EncodeOptions,
  flushes: readonly CommittedFlush[],
): { readonly frame: Buffer; readonly heads: ChainHeads } {
  const { session, epoch, heads, canCompress = hasZstd } = options
  const connections = flushes.flatMap(({ batch }) => batch.connections ?? []).sort((a, b) => a.conn - b.conn)
  const after = advanceHeads(session, heads, flushes)
  const rows = new ColumnsBuilder(64, 1 << 13)
  for (const { batch } of flushes) if (batch.messages.count > 0) rows.add(batch.messages, 0, batch.messages.count)
  const entries = flushes.flatMap(({ batch }) => batch.entries.map(entryRow))
  const sizes = flushes.map(flushSize)
  if (rows.count > MAX_ROWS || entries.length > MAX_ENTRIES || sizes.length > MAX_FLUSHES) throw tooManyRows()
  const { firstSeq, lastSeq } = checkSeqs(rows.build().seq, entries, sizes)
  const signature = options.sign?.(lastSeq, after) ?? new Uint8Array(0)
  if (signature.length > MAX_SIGNATURE_BYTES) throw new TypeError(`a signature of ${signature.length} bytes`)
  const content = writeSections({
    session: Buffer.from(session, 'latin1'),
    connections: encodeConnections(connections),
    flushes: encodeSizes(sizes),
    rows: rows.count === 0 ? new Uint8Array(0) : encodeRows(rows.build()),
    entries: encodeEntries(entries),
    chains: encodeChains(frameChains(heads, flushes, after, signature.length > 0)),
    signature,
  })
  return { frame: seal({ epoch, firstSeq, lastSeq }, content, canCompress), heads: after }
}

const tooManyRows = (): FrameError =>
  new FrameError(
    'too-large',
    `A frame holds up to ${MAX_ROWS} messages and ${MAX_ENTRIES} entries; this flush has more.`,
  )

function flushSize({ batch, leaves }: CommittedFlush): FlushSize {
  const size = { messages: batch.messages.count, entries: batch.entries.length }
  if (size.messages + size.entries === 0) throw new TypeError('a flush without messages and entries')
  let counted = 0
  for (const { count } of leaves) counted += count
  if (counted !== size.messages + size.entries) throw new TypeError('leaves of another flush')
  return size
}

/**
 * Walks the flushes: messages and entries of each must take the seqs that follow those of the flush before. Returns the
 * seqs they cover. Throws a TypeError.
 */
function checkSeqs(
  seq: Float64Array,
  entries: readonly { readonly seq: number }[],
  sizes: readonly FlushSize[],
): { readonly firstSeq: number; readonly lastSeq: number } {
  const firstSeq = Math.min(seq[0] ?? Infinity, entries[0]?.seq ?? Infinity)
  const lastSeq = findLastSeq(firstSeq, seq, entries, sizes)
  if (lastSeq === null) throw new TypeError(`the flushes from seq ${firstSeq} are not consecutive`)
  return { firstSeq, lastSeq }
}

function encodeConnections(connections: readonly Connection[]): Uint8Array {
  const out = new ByteWriter(64)
  for (const { conn, feed } of connections) {
    out.varint(conn)
    out.text(feed)
  }
  return out.finish()
}

function encodeSizes(sizes: readonly FlushSize[]): Uint8Array {
  const out = new ByteWriter(64)
  for (const { messages, entries } of sizes) {
    out.varint(messages)
    out.varint(entries)
  }
  return out.finish()
}

/** The chains that the flushes extend, or every chain if `all`. */
function frameChains(
  heads: ChainHeads,
  flushes: readonly CommittedFlush[],
  after: ChainHeads,
  all: boolean,
): FrameChain[] {
  const extended = new Set(flushes.flatMap(({ leaves }) => leaves.map(({ conn }) => conn)))
  const listed = all ? new Set([...heads.keys(), ...extended]) : extended
  return [...listed]
    .sort((a, b) => a - b)
    .map((conn) => ({
      conn,
      messages: heads.get(conn)?.messages ?? 0,
      before: heads.get(conn)?.head ?? null,
      after: extended.has(conn) ? (after.get(conn)?.head ?? null) : null,
    }))
}

function encodeChains(chains: readonly FrameChain[]): Uint8Array {
  const out = new ByteWriter(256)
  for (const { conn, messages, before, after } of chains) {
    out.varint(conn)
    out.byte((before === null ? 0 : HAS_BEFORE) | (after === null ? 0 : HAS_AFTER))
    out.varint(messages)
    if (before !== null) out.raw(before)
    if (after !== null) out.raw(after)
  }
  return out.finish()
}
