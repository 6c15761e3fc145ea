/**
 * Imports text files as sessions in two passes: the first reads the whole file, the second writes it. Each session of
 * the original store becomes one session here and is never merged with one recorded on this machine.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import {
  MAX_LISTED_PROBLEMS,
  type CsvMapping,
  type ImportDone,
  type ImportPreview,
  type ImportProblem,
} from '../../../shared/features/import/import.ts'
import { sourceKey, type Source } from '../../../shared/core/recording/session.ts'
import { unixMs, type FeedId, type SessionId } from '../../../shared/base/units.ts'
import { newColumns } from '../../core/store/format/message-columns.ts'
import type { Batch, StoredEntry } from '../../core/store/types/messages.ts'
import type { ImportDetails, StoreLibrary } from '../../core/store/types/library.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { READ_HERE, type FileReading } from './file-reading.ts'
import type { TextKind } from './kinds.ts'
import { manifestFeed, readManifest, type ManifestGaps } from './manifest.ts'
import { checkMapping, suggestMapping } from './mapping.ts'
import { assumedBars, type TableHead } from './vendors.ts'
import type { Incoming } from './message.ts'
import type { Portion } from './rows.ts'

export interface ImportInput {
  readonly path: string
  /** The file name to show the user. */
  readonly name: string
  readonly bytes: number
  /** Path of the manifest exported with the file, if any. */
  readonly manifest?: string | undefined
}

export interface ImportWatch {
  readonly signal?: AbortSignal | undefined
  /** `done`: 0 to 1. */
  readonly onProgress?: ((now: { readonly done: number; readonly messages: number }) => void) | undefined
}

export interface ImportStore {
  readonly library: Pick<StoreLibrary, 'importSessions'>
  readonly sessions: StoreReader['sessions']
  readonly newId: (startedMs: number) => SessionId
  /** Default: in the caller's thread. */
  readonly reading?: FileReading
}

const PREVIEW_ROWS = 20
/** How much of a file is looked at for problems before it is imported. */
const PREVIEW_BYTES = 1 << 20
const BATCH_ROWS = 4_096
/** All sessions of a file are held until the last one is complete, each in some 55 KB, and appear in one step. */
const MAX_SESSIONS = 5_000
const BATCH_BYTES = 512 << 10

/**
 * Reports a text file's kind and how it would be read. A bad mapping is listed as a problem; bad CSV throws. Throws
 * `cancelled` when the signal aborts.
 */
export async function previewText(
  input: ImportInput,
  mapping: CsvMapping | null,
  reading = READ_HERE,
  signal?: AbortSignal,
): Promise<ImportPreview> {
  const kind = await reading.kindOf(input.path, signal)
  const used = kind.is === 'table' ? (mapping ?? (await suggestion(input, kind))) : null
  const problems: ImportProblem[] = []
  const unread = used === null ? null : refusal(used)
  if (unread !== null) problems.push({ line: 0, text: unread })
  else {
    for await (const portion of reading.incoming(input.path, kind, used, signal)) {
      problems.push(...portion.problems)
      if (portion.bytes >= PREVIEW_BYTES || problems.length >= MAX_LISTED_PROBLEMS) break
    }
  }
  const about = await tableOf(input, kind, reading, signal)
  return {
    kind: kind.is,
    name: input.name,
    bytes: input.bytes,
    ...about,
    mapping: used,
    problems: problems.slice(0, MAX_LISTED_PROBLEMS),
    gaps: await gapsTold(input, kind),
    exact: kind.is === 'table' ? (used?.columns.includes('raw') ?? false) : kind.raw,
  }
}

const suggestion = async ({ name, manifest }: ImportInput, table: TableHead): Promise<CsvMapping> =>
  suggestMapping(table, name, manifest === undefined ? null : await manifestFeed(manifest))

/** Reads the manifest of a Tapedeck export. Null if there is none. */
const manifestOf = (input: ImportInput, kind: TextKind): Promise<ManifestGaps | null> =>
  input.manifest === undefined || kind.is === 'table' ? Promise.resolve(null) : readManifest(input.manifest)

/** How many gaps the manifest would add. Only the import checks that the manifest belongs to this file. */
async function gapsTold(input: ImportInput, kind: TextKind): Promise<number | null> {
  return (await manifestOf(input, kind))?.count ?? null
}

function refusal(mapping: CsvMapping): string | null {
  try {
    checkMapping(mapping)
    return null
  } catch (thrown) {
    if (thrown instanceof CodedError) return `${thrown.message} ${thrown.hint ?? ''}`.trim()
    throw thrown
  }
}

async function tableOf(
  { path }: ImportInput,
  kind: TextKind,
  { incoming }: FileReading,
  signal: AbortSignal | undefined,
): Promise<Pick<ImportPreview, 'columns' | 'rows'>> {
  if (kind.is === 'table') return { columns: kind.columns, rows: kind.rows.slice(0, PREVIEW_ROWS) }
  const text = new TextDecoder()
  const rows: string[][] = []
  let columns: readonly string[] = []
  for await (const { messages, bytes: read } of incoming(path, kind, null, signal)) {
    columns = ['feed', 'seq', 'received', 'message']
    for (const { feed, seq, recvMs, bytes } of messages.slice(0, PREVIEW_ROWS - rows.length)) {
      rows.push([feed, String(seq ?? ''), new Date(recvMs).toISOString(), text.decode(bytes.subarray(0, 400))])
    }
    if (rows.length >= PREVIEW_ROWS || read >= PREVIEW_BYTES) break
  }
  return { columns, rows }
}

/** The messages of one session in a file. */
interface Segment {
  readonly startedMs: number
  readonly endedMs: number
  readonly messages: number
}

/** Source keys of the files that a store is importing: none of their sessions is visible yet. */
const importing = new WeakMap<ImportStore['library'], Set<string>>()

/**
 * Imports a text file. Rejects with `bad-file` if nothing in it can be read, with `not-allowed` if it was imported
 * before, with `busy` while it is being imported, with `cancelled`, or with a disk error. Then nothing of it is stored.
 */
export async function importText(
  input: ImportInput,
  mapping: CsvMapping | null,
  store: ImportStore,
  watch: ImportWatch = {},
): Promise<ImportDone> {
  const kind = await (store.reading ?? READ_HERE).kindOf(input.path, watch.signal)
  const used = kind.is === 'table' ? (mapping ?? (await suggestion(input, kind))) : null
  if (used !== null) checkMapping(used)
  const sha256 = await hashOf(input.path, watch.signal)
  const source: Source = { kind: 'import', origin: sha256.slice(0, 16), user: input.name }
  const keys = importing.get(store.library) ?? new Set()
  if (keys.has(sourceKey(source))) throw new CodedError('busy', `${input.name} is already being imported.`)
  importing.set(store.library, keys.add(sourceKey(source)))
  try {
    return await importOnce(input, { kind, used, sha256, source }, store, watch)
  } finally {
    keys.delete(sourceKey(source))
  }
}

/** A file whose kind, mapping and identity are known. */
interface KnownFile {
  readonly kind: TextKind
  /** Null if it isn't a table. */
  readonly used: CsvMapping | null
  readonly sha256: string
  readonly source: Source
}

async function importOnce(
  input: ImportInput,
  { kind, used, sha256, source }: KnownFile,
  store: ImportStore,
  { signal, onProgress }: ImportWatch,
): Promise<ImportDone> {
  const { incoming } = store.reading ?? READ_HERE
  const before = (await store.sessions()).find((row) => row.source === sourceKey(source))
  if (before !== undefined) {
    throw new CodedError('not-allowed', `${input.name} is already in the store, as session ${before.session}.`, {
      hint: 'To import it differently, delete that session first.',
    })
  }
  const read = { skipped: 0, problems: [] as ImportProblem[] }
  const manifest = await manifestOf(input, kind)
  const segments: Segment[] = []
  let back = 0
  // A session's start and end times are needed before its first message is written.
  for await (const portion of incoming(input.path, kind, used, signal)) {
    refuseUnclear(portion.problems)
    read.skipped += portion.problems.length
    if (read.problems.length < MAX_LISTED_PROBLEMS)
      read.problems.push(...portion.problems.slice(0, MAX_LISTED_PROBLEMS - read.problems.length))
    back += addToSegments(segments, portion)
    if (segments.length > MAX_SESSIONS) throw tooMany(input.name)
    onProgress?.({ done: (0.3 * portion.bytes) / Math.max(1, input.bytes), messages: 0 })
  }
  const all = segments.reduce((sum, { messages }) => sum + messages, 0)
  if (all === 0) {
    const [first] = read.problems
    throw new CodedError('bad-file', `Couldn’t read anything in ${input.name}.`, {
      hint: first === undefined ? 'It has no rows.' : `Line ${first.line}: ${first.text}.`,
    })
  }
  const gaps = manifest?.sha256 === sha256 && manifest.entries.length === segments.length ? manifest.entries : null
  if (input.manifest !== undefined && kind.is !== 'table' && gaps === null) {
    read.problems.push({ line: 1, text: 'The manifest next to it belongs to another file, so its gaps were skipped' })
  }
  const notes = notesOf(input.name, kind, used, { sha256, hasGaps: gaps !== null, skipped: read.skipped, back })
  const messages = createQueue(incoming(input.path, kind, used, signal))
  const parts = segments.map((segment, i) => {
    const edges = gaps?.[i] ?? []
    const about: ImportDetails = {
      id: store.newId(segment.startedMs),
      source,
      startedMs: unixMs(Math.min(segment.startedMs, ...edges.map(({ wallMs }) => wallMs))),
      endedMs: unixMs(Math.max(segment.endedMs, ...edges.map(({ wallMs }) => wallMs))),
      clean: true,
      from: input.name,
      label: { name: input.name.slice(0, 80), notes, tags: ['imported'] },
    }
    return { about, batches: batchesOf(messages, segment, edges, about.startedMs) }
  })
  try {
    const sessions = await store.library.importSessions(parts, {
      ...(signal === undefined ? {} : { signal }),
      onStored: (stored) => onProgress?.({ done: 0.3 + (0.7 * stored) / all, messages: stored }),
    })
    return { sessions, messages: all, already: false, ...read }
  } finally {
    // It has the file open, and a thread: also after its last message, and if the store failed.
    await messages.close()
  }
}

const tooMany = (name: string): CodedError =>
  new CodedError('too-large', `${name} has messages of more than ${MAX_SESSIONS} sessions.`, {
    hint: 'A session begins where “seq” doesn’t increase. Check the order of the lines, or split the file.',
  })

/** Throws `usage` for a line whose meaning the user must choose, before anything is written. */
function refuseUnclear(problems: readonly ImportProblem[]): void {
  const unclear = problems.find(({ refuses }) => refuses === true)
  if (unclear === undefined) return
  throw new CodedError('usage', `Line ${unclear.line}: ${unclear.text}.`, {
    hint:
      'Choose which one is meant: next to the time zone in the window, or with --repeated first or --repeated second on the ' +
      'command line. Or write the times with their offset.',
  })
}

/** The note about rows out of order. A replay plays rows in file order, and its clock never goes back. */
const backwards = (rows: number): string =>
  `${rows} ${rows === 1 ? 'row was' : 'rows were'} received before the row above: in a replay ${rows === 1 ? 'it comes' : 'they come'} at the time of that one.`

/** What an import found out about its file. */
interface Found {
  readonly sha256: string
  readonly hasGaps: boolean
  /** Lines that couldn't be imported, and rows that were received before the one above. */
  readonly skipped: number
  readonly back: number
}

/** The notes of an imported session: where it came from, whether its messages are the original ones, and what is missing. */
function notesOf(
  name: string,
  kind: TextKind,
  mapping: CsvMapping | null,
  { sha256, hasGaps, skipped, back }: Found,
): string {
  const exact = kind.is === 'table' ? mapping?.columns.includes('raw') === true : kind.raw
  const bars = kind.is === 'table' && mapping?.columns.includes('end') === false ? assumedBars(kind, name) : null
  return [
    `Imported from a file with SHA-256 ${sha256}.`,
    exact
      ? 'The messages are byte for byte those of the file.'
      : 'The file contained no messages, so Tapedeck built them from its columns in the format of the feed.',
    hasGaps ? 'The gaps are from its manifest.' : 'Its gaps are unknown and not marked.',
    // Not if another feed was chosen.
    ...(bars !== null && bars.feed === mapping?.feed
      ? [`It doesn’t say how long its bars are: they were taken for ${bars.unit}.`]
      : []),
    ...(skipped > 0 ? [`${countText(skipped, 'line')} ${skipped === 1 ? 'was' : 'were'} skipped.`] : []),
    ...(back > 0 ? [backwards(back)] : []),
  ].join(' ')
}

async function hashOf(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
    if (signal?.aborted === true) throw new CodedError('cancelled', 'The import was canceled.')
    hash.update(piece as Buffer) // the stream has no encoding
  }
  return hash.digest('hex')
}

/**
 * Adds messages to segments. Exports are ordered by (session, seq), so a seq that doesn't increase starts another
 * session. Returns how many messages have a receive time before that of an earlier row.
 */
function addToSegments(segments: (Segment & { lastSeq?: number })[], { messages }: Portion): number {
  let back = 0
  for (const { seq, recvMs } of messages) {
    const last = segments.at(-1)
    if (last === undefined || (seq !== null && seq <= (last.lastSeq ?? 0))) {
      segments.push({ startedMs: recvMs, endedMs: recvMs, messages: 1, ...(seq === null ? {} : { lastSeq: seq }) })
      continue
    }
    if (recvMs < last.endedMs) back++
    segments[segments.length - 1] = {
      startedMs: Math.min(last.startedMs, recvMs),
      endedMs: Math.max(last.endedMs, recvMs),
      messages: last.messages + 1,
      ...(seq === null ? {} : { lastSeq: seq }),
    }
  }
  return back
}

/** Returns the messages of all portions one at a time. */
function createQueue(portions: AsyncGenerator<Portion, void, void>): {
  next(): Promise<Incoming | undefined>
  close(): Promise<unknown>
} {
  let now: readonly Incoming[] = []
  let at = 0
  return {
    async next() {
      while (at >= now.length) {
        const { value, done } = await portions.next()
        if (done === true) return undefined
        now = value.messages
        at = 0
      }
      return now[at++]
    },
    close: () => portions.return(),
  }
}

/** Yields a segment's messages in batches. They keep their seqs, or are numbered from 1 if they have none. */
async function* batchesOf(
  queue: { next(): Promise<Incoming | undefined> },
  { messages: count }: Segment,
  edges: readonly StoredEntry[],
  startedMs: number,
): AsyncGenerator<Batch, void, void> {
  const conns = new Map<FeedId, { readonly conn: number; seq: number }>()
  let taken = 0
  let monoNs = 0
  let edge = 0
  /** Takes the gap edges before a message. Skips an edge whose seq a message already uses. */
  const edgesBefore = (seq: number): StoredEntry[] => {
    const found: StoredEntry[] = []
    for (; edge < edges.length && edges[edge].seq <= seq; edge++) {
      const one = edges[edge]
      monoNs = Math.max(monoNs, Math.round((one.wallMs - startedMs) * 1_000) * 1_000)
      if (one.seq < seq) found.push({ ...one, monoNs })
    }
    return found
  }
  while (taken < count) {
    const rows: Incoming[] = []
    let bytes = 0
    while (taken + rows.length < count && rows.length < BATCH_ROWS && bytes < BATCH_BYTES) {
      const one = await queue.next()
      if (one === undefined) throw new CodedError('disk-error', 'The file changed while it was being read.')
      rows.push(one)
      bytes += one.bytes.length
    }
    const columns = newColumns(rows.length, bytes)
    const connections: { conn: number; feed: FeedId }[] = []
    const entries: StoredEntry[] = []
    let at = 0
    for (const [i, row] of rows.entries()) {
      let conn = conns.get(row.feed)
      if (conn === undefined) {
        conn = { conn: conns.size + 1, seq: 0 }
        conns.set(row.feed, conn)
        connections.push({ conn: conn.conn, feed: row.feed })
      }
      const seq = row.seq ?? taken + i + 1
      entries.push(...edgesBefore(seq))
      monoNs = Math.max(monoNs, Math.round((row.recvMs - startedMs) * 1_000) * 1_000)
      columns.seq[i] = seq
      columns.conn[i] = conn.conn
      columns.connSeq[i] = ++conn.seq
      columns.recvMs[i] = row.recvMs
      columns.monoNs[i] = monoNs
      columns.flags[i] = row.flags
      columns.bytes.set(row.bytes, at)
      at += row.bytes.length
      columns.offsets[i + 1] = at
    }
    taken += rows.length
    if (taken === count) entries.push(...edgesBefore(Infinity))
    yield { messages: columns, entries, connections }
  }
}
