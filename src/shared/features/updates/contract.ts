/** Updates of the installed app. Hosts that are not installed say `off`. */
import * as v from 'valibot'
import type { UpdateState } from './updates.ts'
import { call, none } from '../../rpc/contract.ts'

export const UPDATE_CALLS = {
  /** Asks for a newer version now; what comes of it is told by the stream. */
  'updates.check': call<null>()(none),
  /**
   * Quits and installs what is ready. Fails with `not-allowed` while something is recorded or replayed, unless
   * `anyway`: the user was asked.
   */
  'updates.install': call<null>()(v.strictObject({ anyway: v.boolean() })),
} as const

export const UPDATE_STREAMS = {
  updates: call<UpdateState>()(none),
} as const
