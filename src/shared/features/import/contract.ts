/** Files on their way in: sent in pieces by a window, looked at, then imported by a job. */
import * as v from 'valibot'
import { IMPORT_FIELDS, REPEATED_TIMES, type CsvMapping, type ImportPreview } from './import.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import { call, feed, text } from '../../rpc/contract.ts'

/** Largest piece of a file, in bytes before base64. */
export const FILE_PIECE = 512 * 1024
/** Largest file that a window may send. */
export const FILE_MOST = 16e9

const file = text(64)
const size = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(FILE_MOST))
const mapping: v.GenericSchema<unknown, CsvMapping> = v.strictObject({
  columns: v.pipe(v.array(v.nullable(v.picklist(IMPORT_FIELDS))), v.maxLength(1_000)),
  feed,
  zone: text(64),
  symbol: text(64),
  dateFormat: v.optional(text(64)),
  repeated: v.optional(v.picklist(REPEATED_TIMES)),
})
/** The manifest that was exported beside the file, as a file that was sent too. */
const manifest = v.optional(file)

export const IMPORT_CALLS = {
  /** Makes room for a file that comes in pieces. What is not ended and used within an hour is dropped. */
  'files.begin': call<{ readonly file: string }>()(
    v.strictObject({ name: v.pipe(text(255), v.minLength(1)), bytes: size }),
  ),
  /** The next piece, in order: `offset` is what was sent before it. */
  'files.chunk': call<null>()(
    v.strictObject({ file, offset: size, data: v.pipe(text(Math.ceil(FILE_PIECE / 3) * 4), v.base64()) }),
  ),
  /** Everything was sent. Fails with `bad-arguments` where pieces are missing. */
  'files.end': call<null>()(v.strictObject({ file })),
  /** Lets go of a file that is not wanted any more. */
  'files.drop': call<null>()(v.strictObject({ file })),
  /** What a file is; `mapping`: how its columns would be read, null to have it guessed. */
  'import.preview': call<ImportPreview>()(v.strictObject({ file, mapping: v.nullable(mapping), manifest })),
  /** Starts an import; its job's result is an `ImportDone`. The file is let go of at its end. */
  'import.start': call<JobId>()(v.strictObject({ file, mapping: v.nullable(mapping), manifest })),
} as const
