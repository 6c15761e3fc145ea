/**
 * Brings a dataset up to date with the store. Every file depends on the stored messages alone, is written whole under
 * its name, and is written again only if it changes. After a kill at any instant, the next run makes the dataset what an
 * uninterrupted one would have made it.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CodedError } from '../../../../shared/base/errors.ts'
import { inTurn } from '../../../../shared/features/sessions/overlaps.ts'
import type { SessionShares } from '../../../../shared/core/recording/merged-sessions.ts'
import { isTeamKey, type SessionRow } from '../../../../shared/core/recording/session.ts'
import type { FeedId, InstrumentId } from '../../../../shared/base/units.ts'
import { takeFileLock } from '../../../base/file-lock.ts'
import { makeExportFolder } from '../../../base/private-files.ts'
import type { StoreReader } from '../../../core/store/types/reader.ts'
import {
  datasetDocument,
  partitionDocument,
  readDocument,
  sessionDocument,
  writeDocument,
  type FeedState,
  type PartitionFile,
} from './documents.ts'
import {
  CHUNK,
  chunkName,
  DATASET_FILE,
  DATASET_SCHEMA,
  gapsFile,
  LOCK_FILE,
  MANIFEST_FILE,
  partitionFolder,
  partitionValue,
  stateFile,
  type Partition,
} from './layout.ts'
import { MAX_OPEN, partitionTicks } from './partition-ticks.ts'
import { openTicksFile, tickColumnsOf, writeGaps, type TicksFile } from './tables.ts'

export interface SyncOptions {
  readonly root: string
  /** Required if the store has several sources. */
  readonly source?: string | undefined
  /** Only these; null: every feed. */
  readonly feeds: readonly FeedId[] | null
  readonly signal: AbortSignal
  readonly onProgress?: (done: Synced) => void
  /** Messages per chunk; for tests. */
  readonly chunk?: number | undefined
}

/** What a run wrote. */
export interface Synced {
  readonly files: number
  readonly rows: number
  readonly bytes: number
}

/** A session's part in the dataset. */
interface Turn {
  readonly row: SessionRow
  /** Messages received before this belong to an earlier session. */
  readonly notBeforeMs: number
  /** What a team's session leaves to others; undefined if none overlaps it. */
  readonly shares: SessionShares | undefined
}

/**
 * One run. Throws CodedError: `usage`, `not-found`, `ambiguous-source`, `cancelled`, `disk-full`, `disk-error`, and
 * `busy` while another run writes to the dataset.
 */
export async function syncDataset(reader: StoreReader, options: SyncOptions): Promise<Synced> {
  const rows = (await reader.sessions(true)).filter(({ binnedMs }) => binnedMs === null)
  const { source, isNew } = await checkDataset(options.root, rows, options)
  const unlock = lockDataset(options.root)
  try {
    await openDataset(options.root, source, isNew)
    return await syncSessions(reader, rows, source, options)
  } finally {
    unlock()
  }
}

async function syncSessions(
  reader: StoreReader,
  rows: readonly SessionRow[],
  source: string,
  options: SyncOptions,
): Promise<Synced> {
  const done = { files: 0, rows: 0, bytes: 0 }
  const wrote = (files: number, { rows, bytes }: Omit<Synced, 'files'>): void => {
    done.files += files
    done.rows += rows
    done.bytes += bytes
    options.onProgress?.({ ...done })
  }
  const turns = inTurn(rows.filter((one) => one.source === source))
  const sessions = turns.map(({ of }) => of.session)
  const overlapping = isTeamKey(source) ? await reader.shares(sessions, source) : []
  for (const { of: row, notBeforeMs } of turns) {
    const shares = overlapping.find(({ session }) => session === row.session)
    await syncSession(reader, { row, notBeforeMs, shares }, options, wrote)
  }
  return done
}

/** Checks that the folder is a dataset of one source, or can become one, and creates it. */
async function checkDataset(
  root: string,
  rows: readonly SessionRow[],
  { source: asked, feeds }: SyncOptions,
): Promise<{ readonly source: string; readonly isNew: boolean }> {
  if (existsSync(root) && !statSync(root).isDirectory()) {
    throw new CodedError('usage', `${root} isn’t a folder.`, { hint: 'Name a new folder for the dataset.' })
  }
  const file = join(root, DATASET_FILE)
  const known = await readDocument(file, datasetDocument)
  const has = (row: SessionRow): boolean =>
    row.feeds.some(({ feed, stored }) => stored > 0 && (feeds === null || feeds.includes(feed)))
  const sources = [...new Set(rows.filter(has).map((row) => row.source))]
  const source = asked ?? known?.source ?? sources[0]
  if (source === undefined || (asked !== undefined && !sources.includes(asked))) {
    throw new CodedError(
      'not-found',
      asked === undefined ? 'Nothing is stored, so there is nothing to sync.' : `No data from ${asked} is stored.`,
      {
        hint: '"tapedeck sessions" lists what is stored.',
      },
    )
  }
  if (known !== null && known.source !== source) {
    throw new CodedError('usage', `${root} is a dataset of ${known.source}, and sources are never joined.`, {
      hint: `Sync ${source} into another folder.`,
    })
  }
  if (known === null && asked === undefined && sources.length > 1) {
    throw new CodedError('ambiguous-source', `The store has several sources: ${sources.join(', ')}.`, {
      hint: 'Choose one with --source, and a folder for each.',
    })
  }
  if (known === null) {
    if (existsSync(root) && readdirSync(root).some((name) => !isUnfinished(name) && name !== LOCK_FILE)) {
      throw new CodedError('usage', `${root} has files and isn’t a dataset of Tapedeck.`, {
        hint: 'Name a new folder.',
      })
    }
    createDataset(root)
  }
  return { source, isNew: known === null }
}

/** Keeps other runs out, which would remove the files that this one is writing. Throws `busy` during another one. */
function lockDataset(root: string): () => void {
  let unlock: (() => void) | null
  try {
    unlock = takeFileLock(join(root, LOCK_FILE))
  } catch {
    return () => undefined // Some network drives have no locks.
  }
  if (unlock !== null) return unlock
  throw inUse(root)
}

const inUse = (root: string): CodedError =>
  new CodedError('busy', `Another sync is writing to ${root}.`, {
    hint: 'Wait until it ends, or sync into another folder.',
  })

/** Removes what a killed run left, and makes a new folder a dataset. Throws `busy` if another run has just made it one. */
async function openDataset(root: string, source: string, isNew: boolean): Promise<void> {
  const file = join(root, DATASET_FILE)
  if (isNew && existsSync(file)) throw inUse(root)
  removeUnfinished(root)
  if (isNew)
    await writeDocument(file, {
      schema: DATASET_SCHEMA,
      document: 'dataset',
      source,
      partitions: ['feed', 'symbol', 'date'],
    })
}

/** Creates the dataset's folder. Throws `disk-error` if the system doesn't allow it, or a link leads nowhere. */
function createDataset(root: string): void {
  try {
    makeExportFolder(root)
  } catch (cause) {
    throw new CodedError('disk-error', `Couldn’t create the folder ${root}.`, {
      cause,
      hint: 'Check the disk and its permissions, or name another folder.',
    })
  }
}

/** The temporary name of a file that was being written. */
const isUnfinished = (name: string): boolean => name.startsWith('.') && name.endsWith('.part')

function removeUnfinished(root: string): void {
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (isUnfinished(basename(path))) rmSync(join(root, path), { force: true })
  }
}

type Wrote = (files: number, written: Omit<Synced, 'files'>) => void

async function syncSession(reader: StoreReader, turn: Turn, options: SyncOptions, wrote: Wrote): Promise<void> {
  const { root, feeds, chunk: size = CHUNK } = options
  const { row, notBeforeMs } = turn
  const { session } = row
  const state = (await readDocument(stateFile(root, session), sessionDocument))?.feeds ?? {}
  // Fixed now: the same for every feed, also while the session is being recorded.
  const last = (await reader.findPosition({ session, ms: Number.MAX_SAFE_INTEGER }))?.seq ?? 0
  const notBefore = notBeforeMs === -Infinity ? null : notBeforeMs
  let changed = false
  for (const { feed, stored } of row.feeds) {
    if (stored === 0 || (feeds !== null && !feeds.includes(feed))) continue
    const before = state[feed] as FeedState | undefined
    const share = hashShare(turn.shares, feed)
    const isSame = before?.not_before === notBefore && (before.share ?? null) === share
    const hasMoved = before !== undefined && !isSame
    const chunks = before === undefined || hasMoved ? [] : [...before.chunks]
    const paths = new Set<string>()
    const keep = (): Promise<void> => {
      state[feed] = { chunks, not_before: notBefore, ...(share === null ? {} : { share }) }
      return writeDocument(stateFile(root, session), {
        schema: DATASET_SCHEMA,
        document: 'session',
        session,
        feeds: state,
      })
    }
    for (let chunk = 0; chunk * size < last; chunk++) {
      const toSeq = Math.min(last, (chunk + 1) * size)
      if (chunks[chunk] === toSeq) continue
      changed = true
      const written = await syncChunk(reader, turn, { feed, chunk, afterSeq: chunk * size, toSeq }, options, wrote)
      for (const path of written) paths.add(path)
      chunks[chunk] = toSeq
      if (!hasMoved) await keep()
    }
    if (!hasMoved) continue
    // Another session was added that has some of these messages.
    await removeOthers(root, feed, session, paths)
    await keep()
  }
  if (!changed) return
  const gaps = await reader.gaps({ session })
  const written = await writeGaps(gapsFile(root, session), session, gaps)
  if (written.rows > 0) wrote(1, { rows: 0, bytes: written.bytes })
}

/** A hash that changes when other messages of a feed count; null if all of them do. */
function hashShare(shares: SessionShares | undefined, feed: FeedId): string | null {
  const of = shares?.feeds.get(feed)
  if (of === undefined) return null
  const instruments = [...of.instruments].sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([of.share, instruments]))
    .digest('hex')
}

/** Messages whose symbol can't be an instrument are stored under this name. */
const NAMELESS = '' as InstrumentId

interface Chunk {
  readonly feed: FeedId
  readonly chunk: number
  readonly afterSeq: number
  readonly toSeq: number
}

/** Writes the files of a chunk, one instrument after another, so that memory doesn't grow with their number. */
async function syncChunk(
  reader: StoreReader,
  { row, notBeforeMs }: Turn,
  { feed, chunk, afterSeq, toSeq }: Chunk,
  { root, signal }: SyncOptions,
  wrote: Wrote,
): Promise<readonly string[]> {
  const { session } = row
  const name = chunkName(session, chunk)
  const paths: string[] = []
  const ending = new Set<Promise<void>>()
  const end = async (file: TicksFile, partition: Partition): Promise<void> => {
    try {
      const { sha256, ...written } = await file.finish()
      const { rows, bytes, from_seq, to_seq } = written
      const folder = partitionFolder(root, partition)
      await recordFile(partition, folder, { name, session, rows, from_seq, to_seq, bytes, sha256 }, row.source)
      wrote(1, written)
    } finally {
      await file.discard()
    }
  }
  const stored = await reader.instruments({ feed, session })
  try {
    for (const instrument of [...stored.map((one) => one.instrument), NAMELESS]) {
      const query = {
        feed,
        sessions: [session],
        asInSource: true,
        instruments: [instrument],
        afterSeq,
        upToSeq: toSeq,
        reusesArrays: true,
      }
      const files = partitionTicks(() => reader.ticks(query), {
        notBeforeMs,
        stop: () => {
          if (signal.aborted) throw new CodedError('cancelled', 'The sync was canceled; what is complete stays.')
        },
        open: (symbol, date) => {
          const path = join(partitionFolder(root, { feed, symbol, date }), name)
          paths.push(path)
          return openTicksFile(path, feed)
        },
      })
      for await (const { file, symbol, date } of files) {
        // While one file is synced to the disk, the next one is filled.
        while (ending.size >= MAX_OPEN) await Promise.race(ending)
        const ended = end(file, { feed, symbol, date })
        ending.add(ended)
        ended.then(
          () => ending.delete(ended),
          () => undefined, // stays, and is awaited below
        )
      }
    }
    await Promise.all(ending)
  } finally {
    await Promise.allSettled(ending)
  }
  return paths
}

/** Removes the files of a session's feed that aren't among `paths`, and their lines in the manifests. */
async function removeOthers(
  root: string,
  feed: FeedId,
  session: SessionRow['session'],
  paths: ReadonlySet<string>,
): Promise<void> {
  const top = join(root, 'ticks', `feed=${partitionValue(feed)}`)
  if (!existsSync(top)) return
  for (const found of readdirSync(top, { recursive: true, encoding: 'utf8' })) {
    const path = join(top, found)
    if (!basename(found).startsWith(`${session}-`) || paths.has(path)) continue
    const manifest = join(dirname(path), MANIFEST_FILE)
    const document = await readDocument(manifest, partitionDocument)
    if (document !== null) {
      const files = document.files.filter(({ name }) => name !== basename(found))
      await writeDocument(manifest, { ...document, files })
    }
    rmSync(path, { force: true })
  }
}

/** Lists a written file in the manifest of its partition. */
async function recordFile(
  { feed, symbol, date }: Partition,
  folder: string,
  file: PartitionFile,
  source: string,
): Promise<void> {
  const path = join(folder, MANIFEST_FILE)
  const others = ((await readDocument(path, partitionDocument))?.files ?? []).filter(({ name }) => name !== file.name)
  const files = [...others, file].sort((a, b) => (a.name < b.name ? -1 : 1))
  const columns = tickColumnsOf(feed).map(({ name }) => name)
  await writeDocument(path, {
    schema: DATASET_SCHEMA,
    document: 'partition',
    feed,
    symbol,
    date,
    source,
    zone: 'UTC',
    columns,
    files,
  })
}
