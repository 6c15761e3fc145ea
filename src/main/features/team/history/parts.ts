/** Reads a sealed part back as the frame it was made of. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { isFeedId, type SessionId } from '../../../../shared/base/units.ts'
import { zstdDecompressSync } from '../../../base/zstd.ts'
import { openBlock } from '../../../core/store/blocks/open.ts'
import { parseEntryLine } from '../../../core/store/format/entry-codec.ts'
import { equalBytes, rowChecksum } from '../../../core/store/format/ledger.ts'
import { ColumnsBuilder } from '../../../core/store/format/message-columns.ts'
import type { MessageColumns, StoredEntry } from '../../../core/store/types/messages.ts'
import type { SealedBlock } from '../../../core/store/write/sealed-block.ts'
import type { ChainHeads, Frame, FrameChain } from '../frame/frame.ts'
import type { Database } from './database.ts'
import type { PartRow, StoredConnection } from './load.ts'
import { blockSum, unpackSizes } from './seal.ts'

/** The largest text of one part's entries, bytes. */
const MAX_ENTRY_BYTES = 1 << 30

/** Where a part is. */
export interface PartOf {
  readonly id: number
  readonly key: SessionId
  readonly day: string
}

/** A block row, checked against its checksum and its own content. */
export interface CheckedBlock {
  readonly feed: string
  readonly instrument: string
  readonly row: Omit<SealedBlock, 'data'>
  readonly messages: MessageColumns
  /** UTC ms; NaN if undated. */
  readonly eventMs: ArrayLike<number>
}

/** The blocks of a part. Throws `store-damaged`. */
export async function loadBlocks(db: Database, of: PartOf, part: number): Promise<CheckedBlock[]> {
  const rows = await db.rows<
    Omit<SealedBlock, 'minSeq' | 'maxSeq' | 'minMs' | 'maxMs' | 'data'> & {
      readonly feed: string
      readonly instrument: string
      readonly min_seq: number
      readonly max_seq: number
      readonly min_ms: number
      readonly max_ms: number
      readonly sum: Buffer
      readonly data: Buffer
    }
  >(
    `SELECT feed, instrument, min_seq, max_seq, min_ms, max_ms, count, control, undecodable, unasked, sum, data
     FROM ${db.schema}.block WHERE day = $1 AND session = $2 AND part = $3 ORDER BY min_seq`,
    [of.day, of.id, part],
  )
  return rows.map(({ feed, instrument, min_seq, max_seq, min_ms, max_ms, sum, data, ...counts }) => {
    const row = { ...counts, minSeq: min_seq, maxSeq: max_seq, minMs: min_ms, maxMs: max_ms }
    if (!equalBytes(blockSum(of.id, part, { ...row, data }), sum))
      throw corruptPart(of, part, 'a block fails its checksum')
    const block = openBlock(data)
    return { feed, instrument, row, messages: block.messages(), eventMs: block.eventMs }
  })
}

/** The entries of a part. Throws `store-damaged`. */
export async function loadEntries(db: Database, of: PartOf, part: number): Promise<StoredEntry[]> {
  const [row] = await db.rows<{ min_seq: number; max_seq: number; count: number; sum: Buffer; data: Buffer }>(
    `SELECT min_seq, max_seq, count, sum, data FROM ${db.schema}.entry_block WHERE day = $1 AND session = $2 AND part = $3`,
    [of.day, of.id, part],
  )
  if (row === undefined) return []
  const { min_seq: minSeq, max_seq: maxSeq, count, sum, data } = row
  if (!equalBytes(rowChecksum([of.id, part, minSeq, maxSeq, count], data), sum))
    throw corruptPart(of, part, 'its entries fail their checksum')
  const entries = unpack(of, part, data).map((line) => {
    const entry = parseEntryLine(line)
    if (entry === null) throw corruptPart(of, part, 'an entry can’t be read')
    return entry
  })
  if (entries.length !== count || entries[0].seq !== minSeq || entries[entries.length - 1].seq !== maxSeq)
    throw corruptPart(of, part, 'it has other entries than it says')
  return entries
}

/** The lines of packed entries. An owner of the database can make their checksum, too. */
function unpack(of: PartOf, part: number, data: Uint8Array): readonly string[] {
  try {
    return zstdDecompressSync(data, { maxOutputLength: MAX_ENTRY_BYTES }).toString('utf8').split('\n')
  } catch (cause) {
    throw corruptPart(of, part, 'its entries can’t be unpacked', cause)
  }
}

/**
 * The frame of a part. `before`: the chains before it. Its messages are verified by `verifyFrame`, which compares them
 * with the heads that the part has. Throws `store-damaged`.
 */
export async function loadFrame(
  db: Database,
  of: PartOf,
  row: PartRow,
  connections: ReadonlyMap<number, StoredConnection>,
  before: ChainHeads,
  blocks?: readonly CheckedBlock[],
): Promise<Frame> {
  const { part, first_seq: firstSeq, last_seq: lastSeq } = row
  const stored = blocks ?? (await loadBlocks(db, of, part))
  const entries = await loadEntries(db, of, part)
  const count = stored.reduce((sum, { messages: { count } }) => sum + count, 0)
  // Before anything of the size that the row says is allocated.
  if (count !== row.messages || entries.length !== row.entries || lastSeq - firstSeq + 1 !== count + entries.length)
    throw corruptPart(of, part, 'messages or entries are missing')
  const messages = inOrder(of, row, stored)
  const chains = await db.rows<{ conn: number; messages: number; head: Buffer }>(
    `SELECT conn, messages, head FROM ${db.schema}.chain WHERE session = $1 AND part = $2 ORDER BY conn`,
    [of.id, part],
  )
  const listed = new Set(chains.map(({ conn }) => conn))
  // Without its head, nothing of a connection would be compared.
  const used = new Set(messages.conn)
  if (entries.length > 0) used.add(0)
  for (const conn of used)
    if (!listed.has(conn)) throw corruptPart(of, part, `the head of connection ${conn} is missing`)
  return {
    session: of.key,
    epoch: 0,
    firstSeq,
    lastSeq,
    connections: [...connections].flatMap(([conn, { feed, announcedSeq }]) =>
      isFeedId(feed) && announcedSeq >= firstSeq && announcedSeq <= lastSeq ? [{ conn, feed }] : [],
    ),
    flushes: unpackSizes(row.flushes, row.messages + row.entries),
    messages,
    entries,
    chains: chains.map(({ conn, head }): FrameChain => {
      const start = before.get(conn)
      return { conn, messages: start?.messages ?? 0, before: start?.head ?? null, after: head }
    }),
    signature: null,
  }
}

/** The messages of all blocks, by seq. */
function inOrder(
  of: PartOf,
  { part, first_seq: firstSeq, last_seq: lastSeq }: PartRow,
  blocks: readonly CheckedBlock[],
) {
  const size = lastSeq - firstSeq + 1
  const blockAt = new Int32Array(size).fill(-1)
  const rowAt = new Uint32Array(size)
  let bytes = 0
  for (const [b, { messages: m }] of blocks.entries()) {
    bytes += m.bytes.length
    for (let i = 0; i < m.count; i++) {
      const at = m.seq[i] - firstSeq
      if (!(at >= 0 && at < size)) throw corruptPart(of, part, `seq ${m.seq[i]} isn’t its own`)
      if (blockAt[at] !== -1) throw corruptPart(of, part, `seq ${m.seq[i]} is stored twice`)
      blockAt[at] = b
      rowAt[at] = i
    }
  }
  const rows = new ColumnsBuilder(Math.max(1, size), Math.max(1, bytes))
  for (let at = 0; at < size; at++)
    if (blockAt[at] !== -1) rows.add(blocks[blockAt[at]].messages, rowAt[at], rowAt[at] + 1)
  return rows.build()
}

/** A part that isn't what was sealed. */
export const corruptPart = ({ key }: PartOf, part: number, why: string, cause?: unknown): CodedError =>
  new CodedError('store-damaged', `Part ${part} of session ${key} is corrupt in the history: ${why}.`, {
    cause,
    hint: 'Run tapedeck verify --history to see what else is.',
  })
