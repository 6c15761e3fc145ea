/** Exports recorded ticks and bars as files. An export is a job; the stream `jobs` reports its progress. */
import * as v from 'valibot'
import { feed, text } from '../../base/schemas.ts'
import {
  EXPORT_FORMATS,
  EXPORT_KINDS,
  EXPORT_SCHEMAS,
  SEPARATORS,
  SPLITS,
  type ExportEstimate,
  type ExportRequest,
} from './export.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import { sessionId } from '../../base/units.ts'
import { interval, of } from '../../core/market/contract.ts'
import { call, ms, none } from '../../rpc/contract.ts'

const request: v.GenericSchema<unknown, ExportRequest> = v.strictObject({
  what: v.picklist(EXPORT_KINDS),
  feed,
  symbols: v.pipe(v.array(v.pipe(text(64), v.minLength(1))), v.maxLength(2_000)),
  sessions: v.pipe(v.array(v.pipe(text(64), v.transform(sessionId))), v.maxLength(10_000)),
  source: v.nullable(text(4_096)),
  fromMs: v.nullable(ms),
  toMs: v.nullable(ms),
  of: v.nullable(of),
  interval,
  format: v.picklist(EXPORT_FORMATS),
  schema: v.optional(v.picklist(EXPORT_SCHEMAS)),
  raw: v.boolean(),
  extended: v.optional(v.boolean()),
  bom: v.boolean(),
  separator: v.picklist(SEPARATORS),
  sheet: v.optional(v.strictObject({ zone: text(64) })),
  split: v.picklist(SPLITS),
})
const folder = text(4_096)
/** The name of a file in the folder. */
const name = text(255)

/** The default place of a window's export. */
export interface ExportDefaults {
  readonly folder: string
  /** The host can show a folder chooser. */
  readonly canChoose: boolean
}

export const EXPORT_CALLS = {
  'export.defaults': call<ExportDefaults>()(none),
  /** Shows the host's folder chooser. Returns null if nothing was chosen. Fails with `not-allowed` without one. */
  'export.choose': call<string | null>()(v.strictObject({ folder })),
  /** Estimates the size of an export. Fails like the export itself: `not-found`, `ambiguous-source`, `usage`. */
  'export.estimate': call<ExportEstimate>()(
    v.strictObject({ request, folder: v.nullable(folder), name: v.nullable(name) }),
  ),
  /**
   * Starts an export. The result of its job is an `ExportDone`. Fails immediately if the name is invalid, the folder
   * doesn't exist, or the file exists and `replace` isn't set.
   */
  'export.start': call<JobId>()(v.strictObject({ request, folder, name, replace: v.boolean() })),
} as const
