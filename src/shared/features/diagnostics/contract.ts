/** What a user may hand to somebody who helps: read first, shared by the user, never by Tapedeck. */
import * as v from 'valibot'
import { call } from '../../rpc/contract.ts'

export const DIAGNOSTIC_CALLS = {
  /** The report as a text, without secrets and names; `symbols`: with the symbols that are watched. */
  'diagnostics.read': call<string>()(v.strictObject({ symbols: v.boolean() })),
} as const
