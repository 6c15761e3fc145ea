/** Taking recorded ticks and bars out as files. Exports are jobs: `jobs` tells how they go. */
import * as v from 'valibot'
import { EXPORT_FORMATS, EXPORT_KINDS, SEPARATORS, SPLITS, type ExportEstimate, type ExportRequest } from './export.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import { recordingId } from '../../base/units.ts'
import { call, feed, interval, ms, none, of, text } from '../../rpc/contract.ts'

const request: v.GenericSchema<unknown, ExportRequest> = v.strictObject({
  what: v.picklist(EXPORT_KINDS),
  feed,
  symbols: v.pipe(v.array(v.pipe(text(64), v.minLength(1))), v.maxLength(2_000)),
  sessions: v.pipe(v.array(v.pipe(text(64), v.transform(recordingId))), v.maxLength(10_000)),
  source: v.nullable(text(4_096)),
  fromMs: v.nullable(ms),
  toMs: v.nullable(ms),
  of: v.nullable(of),
  interval,
  format: v.picklist(EXPORT_FORMATS),
  raw: v.boolean(),
  extended: v.optional(v.boolean()),
  bom: v.boolean(),
  separator: v.picklist(SEPARATORS),
  split: v.picklist(SPLITS),
})
const folder = text(4_096)
/** Name of a file inside of the folder. */
const name = text(255)

/** Where a window's export goes unless told. */
export interface ExportDefaults {
  readonly folder: string
  /** The host can show a chooser of folders. */
  readonly canChoose: boolean
}

export const EXPORT_CALLS = {
  'export.defaults': call<ExportDefaults>()(none),
  /** Shows the host's own chooser; null: nothing was chosen. Fails with `not-allowed` where there is none. */
  'export.choose': call<string | null>()(v.strictObject({ folder })),
  /** About how much it would be. Fails as the export would: `not-found`, `ambiguous-source`, `usage`. */
  'export.estimate': call<ExportEstimate>()(
    v.strictObject({ request, folder: v.nullable(folder), name: v.nullable(name) }),
  ),
  /**
   * Starts an export; its job's result is an `ExportDone`. Fails at once where the name is none, the folder is not
   * there, or a file is in the way and `replace` is not set.
   */
  'export.start': call<JobId>()(v.strictObject({ request, folder, name, replace: v.boolean() })),
} as const
