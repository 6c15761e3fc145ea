/** Drawings of charts: kept by the terminal, so that every window shows the same ones. */
import * as v from 'valibot'
import { drawingsEditSchema, type DrawingsEdit } from './edits.ts'
import { DRAWING_MARKETS, type DrawingsState } from './types.ts'
import { call, instrument } from '../../rpc/contract.ts'

/** Whose drawings: of the demo market, or of a service. */
const market = v.picklist(DRAWING_MARKETS)
const edit: v.GenericSchema<unknown, DrawingsEdit> = drawingsEditSchema

export const DRAWING_CALLS = {
  'drawings.get': call<DrawingsState>()(v.strictObject({ market, instrument })),
  /**
   * Changes the drawings of an instrument and answers all of them; what the edit does not name stays as it is.
   * Fails with `too-large` beyond the limits, `store-newer` where a newer Tapedeck wrote them, `disk-error`.
   */
  'drawings.edit': call<DrawingsState>()(v.strictObject({ market, instrument, edit })),
} as const

export const DRAWING_STREAMS = {
  /** All drawings of an instrument in a market, at once and after every change by whichever window. */
  drawings: call<DrawingsState>()(v.strictObject({ market, instrument })),
} as const
