/** Drawings of charts: kept by the terminal, so that every window shows the same ones. */
import * as v from 'valibot'
import { drawingsEditSchema, type DrawingsEdit } from '../drawings/edits.ts'
import type { DrawingsState } from '../drawings/types.ts'
import { call, instrument } from './spec.ts'

const edit: v.GenericSchema<unknown, DrawingsEdit> = drawingsEditSchema

export const DRAWING_CALLS = {
  'drawings.get': call<DrawingsState>()(v.strictObject({ instrument })),
  /**
   * Changes the drawings of an instrument and answers all of them; what the edit does not name stays as it is.
   * Fails with `too-large` beyond the limits, `store-newer` where a newer Tapedeck wrote them, `disk-error`.
   */
  'drawings.edit': call<DrawingsState>()(v.strictObject({ instrument, edit })),
} as const

export const DRAWING_STREAMS = {
  /** All drawings of an instrument, at once and after every change by whichever window. */
  drawings: call<DrawingsState>()(v.strictObject({ instrument })),
} as const
