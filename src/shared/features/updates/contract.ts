/** Updates of the installed app. Hosts that aren't installed report `off`. */
import * as v from 'valibot'
import type { UpdateState } from './updates.ts'
import { call, none } from '../../rpc/contract.ts'

export const UPDATE_CALLS = {
  /** Checks for a newer version now. The stream reports the result. */
  'updates.check': call<null>()(none),
  /**
   * Quits and installs the update. Fails with `not-allowed` while recording or replaying, unless `anyway` says that the
   * user was asked.
   */
  'updates.install': call<null>()(v.strictObject({ anyway: v.boolean() })),
} as const

export const UPDATE_STREAMS = {
  updates: call<UpdateState>()(none),
} as const
