/** The diagnostic report. The user reads it first and shares it; Tapedeck never sends it. */
import * as v from 'valibot'
import { call } from '../../rpc/contract.ts'

export const DIAGNOSTIC_CALLS = {
  /** The report as text, without secrets and names. `symbols`: includes the subscribed symbols. */
  'diagnostics.read': call<string>()(v.strictObject({ symbols: v.boolean() })),
} as const
