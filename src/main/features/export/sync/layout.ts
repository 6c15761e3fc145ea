/** Names of a dataset's folders and files. Pure. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { FeedId, SessionId } from '../../../../shared/base/units.ts'

/** Identifies a dataset, in its root. Readers of partitioned data ignore files whose name begins with `_`. */
export const DATASET_FILE = '_tapedeck.json'
/** The version of the whole format. `document` says which of its three documents a file is; older ones have none. */
export const DATASET_SCHEMA = 'tapedeck/dataset/1'
export const MANIFEST_FILE = '_manifest.json'
/** The lock of the run that writes; empty. */
export const LOCK_FILE = '_lock'

/** Messages of a session are divided by seq, so that a file never depends on when it was written. */
export const CHUNK = 1_000_000

const MAX_VALUE = 150
/** What Hive calls a missing value. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__'

/**
 * A partition's value as part of a path: percent-encoded as readers decode it, safe on every file system. A very long
 * one is cut and gets a hash; the manifest has all of it.
 */
export function partitionValue(text: string): string {
  if (text === '') return NO_VALUE
  const encoded = encodeURIComponent(text.toWellFormed())
    .replace(/[*'()!~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/\.$/, '%2E')
  if (encoded.length <= MAX_VALUE) return encoded
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return `${encoded.slice(0, MAX_VALUE).replace(/%.?$/, '')}-${hash}`
}

/** The messages of a feed and symbol on a UTC day, `YYYY-MM-DD`. */
export interface Partition {
  readonly feed: FeedId
  readonly symbol: string
  readonly date: string
}

export const partitionFolder = (root: string, { feed, symbol, date }: Partition): string =>
  join(root, 'ticks', `feed=${partitionValue(feed)}`, `symbol=${partitionValue(symbol)}`, `date=${date}`)

/** The file of a chunk of a session in each of its partitions. */
export const chunkName = (session: SessionId, chunk: number): string =>
  `${session}-${String(chunk).padStart(6, '0')}.parquet`

export const gapsFile = (root: string, session: SessionId): string => join(root, 'gaps', `${session}.parquet`)
/** How far a session is in the dataset. */
export const stateFile = (root: string, session: SessionId): string => join(root, '_sync', `${session}.json`)
