/** Imports files: a window sends them in pieces, previews them, then a job imports them. */
import * as v from 'valibot'
import { feed, text } from '../../base/schemas.ts'
import { IMPORT_FIELDS, REPEATED_TIMES, type CsvMapping, type ImportPreview } from './import.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import { call } from '../../rpc/contract.ts'

/** The largest piece of a file, in bytes before base64. */
export const FILE_PIECE = 512 * 1024
/** The largest file that a window can send, in bytes. */
const FILE_MOST = 16e9

const file = text(64)
const size = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(FILE_MOST))
const mapping: v.GenericSchema<unknown, CsvMapping> = v.strictObject({
  columns: v.pipe(v.array(v.nullable(v.picklist(IMPORT_FIELDS))), v.maxLength(1_000)),
  feed,
  zone: text(64),
  symbol: text(64),
  dateFormat: v.optional(text(64)),
  fixedPrices: v.optional(v.boolean()),
  repeated: v.optional(v.picklist(REPEATED_TIMES)),
})
/** The manifest exported next to the file, sent as a file of its own. */
const manifest = v.optional(file)

export const IMPORT_CALLS = {
  /** Starts receiving a file in pieces. A file that isn't completed and used within an hour is deleted. */
  'files.begin': call<{ readonly file: string }>()(
    v.strictObject({ name: v.pipe(text(255), v.minLength(1)), bytes: size }),
  ),
  /** The next piece, in order. `offset`: the bytes sent before it. */
  'files.chunk': call<null>()(
    v.strictObject({ file, offset: size, data: v.pipe(text(Math.ceil(FILE_PIECE / 3) * 4), v.base64()) }),
  ),
  /** Completes a file. Fails with `bad-arguments` if pieces are missing. */
  'files.end': call<null>()(v.strictObject({ file })),
  /** Deletes a received file that isn't needed. */
  'files.drop': call<null>()(v.strictObject({ file })),
  /** Recognizes a file. `mapping`: how to read its columns; null to detect it. */
  'import.preview': call<ImportPreview>()(v.strictObject({ file, mapping: v.nullable(mapping), manifest })),
  /** Starts an import. The job's result is an `ImportDone`, and the file is deleted afterwards. */
  'import.start': call<JobId>()(v.strictObject({ file, mapping: v.nullable(mapping), manifest })),
} as const
