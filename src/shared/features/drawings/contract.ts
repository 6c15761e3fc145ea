/** Chart drawings. The terminal saves them, so every window shows the same ones. */
import * as v from 'valibot'
import { instrument } from '../../base/schemas.ts'
import { drawingsEditSchema, type DrawingsEdit } from './edits.ts'
import { DRAWING_MARKETS, type DrawingsState } from './types.ts'
import { call } from '../../rpc/contract.ts'

/** The market they belong to: the demo market, or a service. */
const market = v.picklist(DRAWING_MARKETS)
const edit: v.GenericSchema<unknown, DrawingsEdit> = drawingsEditSchema

export const DRAWING_CALLS = {
  'drawings.get': call<DrawingsState>()(v.strictObject({ market, instrument })),
  /**
   * Changes the drawings of an instrument and returns all of them. Drawings that the edit doesn't name don't change.
   * Fails with `too-large` beyond the limits, `store-newer` if a newer version of Tapedeck wrote them, and
   * `disk-error`.
   */
  'drawings.edit': call<DrawingsState>()(v.strictObject({ market, instrument, edit })),
} as const

export const DRAWING_STREAMS = {
  /** All drawings of an instrument in a market, immediately and after every change by any window. */
  drawings: call<DrawingsState>()(v.strictObject({ market, instrument })),
} as const
