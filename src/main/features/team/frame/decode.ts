/** Decodes frames. Their bytes are hostile: everything is bounded and checked, and every fault is an outcome. */
import { hasZstd } from '../../../base/zstd.ts'
import { ByteReader } from '../../../core/store/blocks/bytes.ts'
import { LATEST_MS, parseEntryLine } from '../../../core/store/format/entry-codec.ts'
import { newColumns } from '../../../core/store/format/message-columns.ts'
import { decodeRows, type Rows } from '../../../core/store/format/row-codec.ts'
import type { MessageColumns, StoredEntry } from '../../../core/store/types/messages.ts'
import { isFeedId, SESSION_ID, sessionId, type SessionId } from '../../../../shared/base/units.ts'
import { asBuffer, openEnvelope, unseal } from './envelope.ts'
import {
  findLastSeq,
  HAS_AFTER,
  HAS_BEFORE,
  HEAD_BYTES,
  MAX_CONNECTIONS,
  MAX_ENTRIES,
  MAX_FLUSHES,
  MAX_SIGNATURE_BYTES,
} from './frame.ts'
import type { Connection, FlushSize, Frame, FrameChain, FrameHeader } from './frame.ts'
import { asResult, FrameError, malformed, type FrameResult } from './refusal.ts'
import { readSections } from './sections.ts'

const MAX_CONN = 0xffff_ffff
const LINE_END = 10

/** Reads the header of a whole frame and checks its checksum, without decompressing it. */
export function readHeader(bytes: Uint8Array): FrameResult<FrameHeader> {
  return asResult(() => {
    const { firstSeq, lastSeq, epoch } = openEnvelope(bytes)
    return { firstSeq, lastSeq, epoch }
  })
}

/** Decodes a frame. Never throws. Its chains still have to be verified; its arrays may be views of `bytes`. */
export function decodeFrame(bytes: Uint8Array, canDecompress = hasZstd): FrameResult<Frame> {
  return asResult(() => {
    const envelope = openEnvelope(bytes)
    const { firstSeq, lastSeq, epoch } = envelope
    const sections = readSections(unseal(envelope, canDecompress))
    const session = readSession(sections.session)
    const connections = readConnections(sections.connections)
    const flushes = readSizes(sections.flushes)
    const rows = readRows(sections.rows)
    const entries = readEntries(sections.entries, flushes)
    // Comparing the range first bounds the walk by what the frame holds.
    if (
      lastSeq - firstSeq + 1 !== rows.count + entries.length ||
      findLastSeq(firstSeq, rows.seq, entries, flushes) !== lastSeq
    )
      throw new FrameError('wrong-order', `The frame doesn't hold each seq from ${firstSeq} to ${lastSeq} once.`)
    const chains = readChains(sections.chains)
    if (sections.signature.length > MAX_SIGNATURE_BYTES) throw malformed('signature')
    return {
      session,
      epoch,
      firstSeq,
      lastSeq,
      connections,
      flushes,
      messages: numberMessages(rows, entries.length > 0, chains, connections),
      entries,
      chains,
      signature: sections.signature.length === 0 ? null : sections.signature,
    }
  })
}

function readSession(section: Uint8Array): SessionId {
  const text = asBuffer(section).toString('latin1')
  if (!SESSION_ID.test(text)) throw malformed('session')
  return sessionId(text)
}

function readConnections(section: Uint8Array): Connection[] {
  const from = new ByteReader(section)
  const connections: Connection[] = []
  while (from.at < from.end) {
    const conn = from.varint()
    const feed = from.text()
    const last = connections.at(-1)?.conn ?? 0
    if (conn <= last || conn > MAX_CONN || !isFeedId(feed) || connections.length === MAX_CONNECTIONS)
      throw malformed('connections')
    connections.push({ conn, feed })
  }
  return connections
}

function readSizes(section: Uint8Array): FlushSize[] {
  const from = new ByteReader(section)
  const sizes: FlushSize[] = []
  let entries = 0
  while (from.at < from.end) {
    const size = { messages: from.varint(), entries: from.varint() }
    if (size.messages + size.entries === 0) throw malformed('flushes')
    entries += size.entries
    if (entries > MAX_ENTRIES || sizes.length === MAX_FLUSHES)
      throw new FrameError('too-large', `The frame has more than ${MAX_ENTRIES} entries or ${MAX_FLUSHES} flushes.`)
    sizes.push(size)
  }
  return sizes
}

function readRows(section: Uint8Array): Rows {
  if (section.length === 0) return newColumns(0, 0)
  const rows = decodeRows(section)
  if (rows === null || rows.count === 0) throw malformed('messages')
  for (let i = 0; i < rows.count; i++) {
    if (!(Math.abs(rows.recvMs[i]) <= LATEST_MS) || !Number.isFinite(rows.monoNs[i])) throw malformed('times')
  }
  return rows
}

/** Reads as many entries as the flushes have. */
function readEntries(section: Uint8Array, flushes: readonly FlushSize[]): StoredEntry[] {
  let expected = 0
  for (const size of flushes) expected += size.entries
  const content = asBuffer(section)
  const entries: StoredEntry[] = []
  for (let from = 0; from < content.length;) {
    const found = content.indexOf(LINE_END, from)
    const end = found < 0 ? content.length : found
    const entry = entries.length === expected ? null : parseEntryLine(content.toString('utf8', from, end))
    if (entry === null || end === content.length - 1) throw malformed('entries')
    entries.push(entry)
    from = end + 1
  }
  if (entries.length !== expected) throw malformed('entries')
  return entries
}

function readChains(section: Uint8Array): FrameChain[] {
  const from = new ByteReader(section)
  const chains: FrameChain[] = []
  while (from.at < from.end) {
    const conn = from.varint()
    const bits = from.byte()
    const messages = from.varint()
    const before = (bits & HAS_BEFORE) === 0 ? null : from.raw(HEAD_BYTES)
    const after = (bits & HAS_AFTER) === 0 ? null : from.raw(HEAD_BYTES)
    if (
      conn <= (chains.at(-1)?.conn ?? -1) ||
      conn > MAX_CONN ||
      bits === 0 ||
      bits > (HAS_BEFORE | HAS_AFTER) ||
      (messages > 0 && (before === null || conn === 0)) ||
      chains.length > MAX_CONNECTIONS
    )
      throw malformed('chains')
    chains.push({ conn, messages, before, after })
  }
  return chains
}

/**
 * Numbers the messages of each connection. Every connection with messages, and connection 0 if there are entries, must
 * have a chain with a head after the frame; a chain starts here exactly if its connection is announced here.
 */
function numberMessages(
  rows: Rows,
  hasEntries: boolean,
  chains: readonly FrameChain[],
  connections: readonly Connection[],
): MessageColumns {
  const counts = new Map(chains.map(({ conn, messages }) => [conn, messages]))
  const used = new Set<number>(hasEntries ? [0] : [])
  const connSeq = new Uint32Array(rows.count)
  for (let from = 0; from < rows.count;) {
    const conn = rows.conn[from]
    let count = counts.get(conn) ?? MAX_CONN
    let to = from
    for (; to < rows.count && rows.conn[to] === conn; to++) connSeq[to] = ++count
    if (conn === 0 || count > MAX_CONN) throw malformed('chains')
    counts.set(conn, count)
    used.add(conn)
    from = to
  }
  const announced = new Set(connections.map(({ conn }) => conn))
  for (const { conn, before, after } of chains) {
    const startsHere = announced.has(conn) || (conn === 0 && before === null)
    if (used.has(conn) !== (after !== null) || (before === null) !== startsHere) throw malformed('chains')
    used.delete(conn)
  }
  if (used.size > 0) throw malformed('chains')
  return { ...rows, connSeq }
}
