/** The JSON files of a dataset: what it is, what a partition contains, how far a session is. */
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { count, sha256 } from '../../../../shared/base/schemas.ts'
import { makeExportFolder } from '../../../base/private-files.ts'
import * as v from 'valibot'
import { CodedError } from '../../../../shared/base/errors.ts'
import { createSafeFile } from '../../../base/file-sink.ts'
import { DATASET_SCHEMA } from './layout.ts'

export const datasetDocument = v.looseObject({ schema: v.literal(DATASET_SCHEMA), source: v.string() })

/** A file of a partition. `from_seq` to `to_seq`: the seqs of its session that it has. */
const partitionFile = v.object({
  name: v.string(),
  session: v.string(),
  rows: count,
  from_seq: count,
  to_seq: count,
  bytes: count,
  sha256: sha256,
})
export type PartitionFile = v.InferOutput<typeof partitionFile>

export const partitionDocument = v.looseObject({
  schema: v.literal(DATASET_SCHEMA),
  files: v.array(partitionFile),
})

/**
 * Up to which seq each chunk of a feed is written, and from which receive time on its messages count, UTC ms. `share`:
 * hash of what a team's session leaves to others that overlap it.
 */
const feedState = v.object({
  chunks: v.array(count),
  not_before: v.nullable(v.number()),
  share: v.optional(v.nullable(sha256)),
})
export type FeedState = v.InferOutput<typeof feedState>
export const sessionDocument = v.looseObject({
  schema: v.literal(DATASET_SCHEMA),
  feeds: v.record(v.string(), feedState),
})

/** Reads a document; null if it is missing. Throws `usage` if it isn't one of this version. */
export async function readDocument<T>(path: string, schema: v.GenericSchema<unknown, T>): Promise<T | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null
    throw new CodedError('disk-error', `Couldn’t read ${path}.`, { cause })
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  const read = v.safeParse(schema, json)
  if (read.success) return read.output
  throw new CodedError('usage', `${path} isn’t of a dataset that this version of Tapedeck can continue.`, {
    hint: 'Sync into another folder.',
  })
}

/** Writes a document, durable and whole or not at all. */
export async function writeDocument(path: string, value: object): Promise<void> {
  makeExportFolder(dirname(path))
  const file = await createSafeFile(path, { replacesLinks: true })
  try {
    file.text(`${JSON.stringify(value, null, 2)}\n`)
    await file.finish()
    await file.commit()
  } finally {
    await file.discard()
  }
}
