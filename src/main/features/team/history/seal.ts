/**
 * Seals the tail of a session: turns frames into blocks of the local store's codec, one part at a time. A part holds
 * everything a frame holds, so flushes and leaves can be computed from it again.
 */
import { setImmediate } from 'node:timers/promises'
import { CodedError } from '../../../../shared/base/errors.ts'
import type { FeedId, SessionId } from '../../../../shared/base/units.ts'
import { zstdCompressSync } from '../../../base/zstd.ts'
import { ByteReader, ByteWriter } from '../../../core/store/blocks/bytes.ts'
import { Classifier } from '../../../core/store/format/classify.ts'
import { encodeEntries } from '../../../core/store/format/entry-codec.ts'
import { entryRow, rowChecksum } from '../../../core/store/format/ledger.ts'
import type { StoredEntry } from '../../../core/store/types/messages.ts'
import { Buckets } from '../../../core/store/write/buckets.ts'
import { blockChecksumFields, sealRows, type SealedBlock } from '../../../core/store/write/sealed-block.ts'
import { decodeFrame } from '../frame/decode.ts'
import type { ChainHead, FlushSize } from '../frame/frame.ts'
import { verifyFrame } from '../frame/verify.ts'
import { insertRows, type Database, type Sql, type SqlValue } from './database.ts'
import { loadConnections, loadHeadsBefore, loadTail } from './load.ts'
import { checkVersion } from './schema.ts'

/** Message bytes of a part: what sealing and reading one hold in memory, about. */
const PART_BYTES = 64 << 20
/** Frames read at a time. */
const TAIL_PAGE = 64

export interface SealOptions {
  readonly partBytes?: number
  /** Called before the transaction commits, for fault injection. */
  readonly beforeCommit?: (() => Promise<void>) | undefined
}

/** A part ready to be written. */
interface Part {
  readonly frames: number
  readonly lastSeq: number
  readonly messages: number
  readonly entries: readonly StoredEntry[]
  readonly flushes: readonly FlushSize[]
  /** Connections with something in this part, or announced in it; 0: it has entries. */
  readonly extended: ReadonlySet<number>
  readonly blocks: readonly { readonly feed: FeedId; readonly instrument: string; readonly block: SealedBlock }[]
  readonly heads: ReadonlyMap<number, ChainHead>
}

/**
 * Seals the oldest frames of a session's tail as one part. Returns whether there were any. Another archiver that does
 * the same at the same time makes this one return true without writing. Rejects with `store-damaged` if the tail
 * doesn't match its chains.
 */
export async function sealPart(db: Database, session: SessionId, options: SealOptions = {}): Promise<boolean> {
  const { schema } = db
  const [row] = await db.rows<{ id: number; day: string; sealed_seq: number; last_seq: number }>(
    `SELECT id, day, sealed_seq, last_seq FROM ${schema}.session WHERE key = $1`,
    [session],
  )
  if (row === undefined || row.sealed_seq === row.last_seq) return false
  const part = await encodePart(db, session, row, options.partBytes ?? PART_BYTES)
  if (part === null) return true
  for (const table of ['block', 'entry_block']) await db.run(`SELECT ${schema}.add_partition($1, $2)`, [table, row.day])
  await db.transaction(async (sql) => {
    const [now] = await sql.rows<{ sealed_seq: number; version: number }>(
      `SELECT sealed_seq, (SELECT version FROM ${schema}.meta) AS version FROM ${schema}.session WHERE id = $1 FOR UPDATE`,
      [row.id],
    )
    checkVersion(now.version, db)
    if (now.sealed_seq !== row.sealed_seq) return
    await writePart(sql, schema, row, part)
    await options.beforeCommit?.()
  })
  return true
}

/** Decodes, verifies and encodes frames after `sealed_seq`; null if another archiver sealed them in the meantime. */
async function encodePart(
  db: Database,
  session: SessionId,
  row: { readonly id: number; readonly sealed_seq: number },
  mostBytes: number,
): Promise<Part | null> {
  const connections = await loadConnections(db, db.schema, row.id)
  const buckets = new Buckets({ chains: connections, series: new Map() }, new Classifier(), false)
  const entries: StoredEntry[] = []
  const flushes: FlushSize[] = []
  const extended = new Set<number>()
  let frames = 0
  let count = 0
  let at = row.sealed_seq
  let heads: ReadonlyMap<number, ChainHead> = await loadHeadsBefore(db, row.id, row.sealed_seq)
  let bytes = 0
  while (bytes < mostBytes) {
    const page = await loadTail(db, row.id, at, TAIL_PAGE)
    if (page.length === 0) break
    for (const { first_seq: first, data } of page) {
      if (bytes >= mostBytes) break
      if (first !== at + 1) return null
      const decoded = decodeFrame(data)
      const verified = decoded.ok ? verifyFrame(decoded.value, heads) : decoded
      if (!decoded.ok || !verified.ok) throw corruptTail(session, verified.ok ? '' : verified.refusal.message)
      const { messages } = decoded.value
      for (let i = 0; i < messages.count; i++) buckets.add(messages, i)
      frames++
      count += messages.count
      for (const entry of decoded.value.entries) entries.push(entry)
      for (const size of decoded.value.flushes) flushes.push(size)
      for (const { conn, after } of decoded.value.chains) if (after !== null) extended.add(conn)
      for (const { conn } of decoded.value.connections) extended.add(conn)
      heads = verified.value.heads
      bytes += messages.bytes.length + messages.count * ROW_BYTES
      at = decoded.value.lastSeq
    }
    await setImmediate()
  }
  if (frames === 0) return null
  const blocks: { feed: FeedId; instrument: string; block: SealedBlock }[] = []
  for (const { feed, name, rows, eventMs } of buckets.all()) {
    const work = sealRows(feed, rows.build(), eventMs)
    let turn = work.next()
    for (; turn.done !== true; turn = work.next()) await setImmediate()
    for (const block of turn.value) blocks.push({ feed, instrument: name, block })
  }
  return { frames, lastSeq: at, messages: count, entries, flushes, extended, blocks, heads }
}

/** Memory of a row in addition to its bytes, about. */
const ROW_BYTES = 48

async function writePart(
  sql: Sql,
  schema: string,
  { id, day, sealed_seq: sealedSeq }: { readonly id: number; readonly day: string; readonly sealed_seq: number },
  { frames, lastSeq, messages, entries, flushes, extended, blocks, heads }: Part,
): Promise<void> {
  const [{ part }] = await sql.rows<{ part: number }>(
    `INSERT INTO ${schema}.part (session, part, first_seq, last_seq, messages, entries, flushes)
     SELECT $1, coalesce(max(part) + 1, 0), $2, $3, $4, $5, $6 FROM ${schema}.part WHERE session = $1 RETURNING part`,
    [id, sealedSeq + 1, lastSeq, messages, entries.length, packSizes(flushes)],
  )
  const chains = [...heads].filter(([conn]) => extended.has(conn))
  await insertRows(
    sql,
    `${schema}.chain`,
    ['session', 'part', 'conn', 'messages', 'head'],
    chains.map(([conn, chain]) => [id, part, conn, chain.messages, chain.head]),
  )
  await insertRows(
    sql,
    `${schema}.block`,
    BLOCK_COLUMNS,
    blocks.map(({ feed, instrument, block }): SqlValue[] => [
      day, id, part, feed, instrument, ...blockChecksumFields(block), blockSum(id, part, block), block.data,
    ]), // oxfmt-ignore
  )
  if (entries.length > 0) {
    const data = zstdCompressSync(encodeEntries(entries.map(entryRow)))
    const numbers = [entries[0].seq, entries[entries.length - 1].seq, entries.length]
    await sql.run(
      `INSERT INTO ${schema}.entry_block (day, session, part, min_seq, max_seq, count, sum, data)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [day, id, part, ...numbers, rowChecksum([id, part, ...numbers], data), data],
    )
  }
  const dropped = await sql.run(`DELETE FROM ${schema}.tail WHERE session = $1 AND last_seq <= $2`, [id, lastSeq])
  const moved = await sql.run(
    `UPDATE ${schema}.session SET sealed_seq = $3, tail_bytes = (
       SELECT coalesce(sum(length(data)), 0) FROM ${schema}.tail WHERE session = $1
     ) WHERE id = $1 AND sealed_seq = $2`,
    [id, sealedSeq, lastSeq],
  )
  if (dropped !== frames || moved !== 1)
    throw new CodedError('store-damaged', `The tail of session number ${id} changed while it was sealed.`)
}

export const BLOCK_COLUMNS = [
  'day', 'session', 'part', 'feed', 'instrument',
  'min_seq', 'max_seq', 'min_ms', 'max_ms', 'count', 'control', 'undecodable', 'unasked',
  'sum', 'data',
] // oxfmt-ignore

/** The checksum of a block row: its session, part, numbers and data. */
export const blockSum = (session: number, part: number, block: SealedBlock): Uint8Array =>
  rowChecksum([session, part, ...blockChecksumFields(block)], block.data)

/** Packs sizes of flushes as runs of equal ones. */
export function packSizes(sizes: readonly FlushSize[]): Uint8Array {
  const out = new ByteWriter(64)
  for (let from = 0; from < sizes.length;) {
    const { messages, entries } = sizes[from]
    let to = from + 1
    while (to < sizes.length && sizes[to].messages === messages && sizes[to].entries === entries) to++
    out.varint(messages)
    out.varint(entries)
    out.varint(to - from)
    from = to
  }
  return out.finish().slice()
}

/** Reverses `packSizes` for a part of `count` messages and entries. Throws `store-damaged`. */
export function unpackSizes(bytes: Uint8Array, count: number): FlushSize[] {
  const from = new ByteReader(bytes)
  const sizes: FlushSize[] = []
  let rest = count
  while (from.at < from.end) {
    const size = { messages: from.varint(), entries: from.varint() }
    const repeats = from.varint()
    rest -= (size.messages + size.entries) * repeats
    if (rest < 0 || size.messages + size.entries === 0) throw corruptSizes()
    for (let i = 0; i < repeats; i++) sizes.push(size)
  }
  if (rest !== 0) throw corruptSizes()
  return sizes
}

const corruptSizes = (): CodedError => new CodedError('store-damaged', 'The sizes of the flushes don’t add up.')

const corruptTail = (session: SessionId, why: string): CodedError =>
  new CodedError('store-damaged', `The unsealed messages of session ${session} are corrupt in the history. ${why}`, {
    hint: 'Run tapedeck verify --history, and fetch the session from its recorder.',
  })
