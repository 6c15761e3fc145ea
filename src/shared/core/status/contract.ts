/** The state and log of feeds, recorder and store, and the calls that control feeds and recording. */
import * as v from 'valibot'
import { feed } from '../../base/schemas.ts'
import { call, none, view } from '../../rpc/contract.ts'
import type { LogEntry, StatusState } from './status.ts'

export const LIVE_CALLS = {
  /** Retries a `refused` or `waiting` feed immediately. */
  'feeds.retry': call<null>()(v.strictObject({ feed })),
  'recording.set': call<null>()(v.strictObject({ on: v.boolean() })),
  /** The network came back or changed: waiting connections retry immediately, open ones are probed. */
  'app.networkChanged': call<null>()(none),
} as const

/** Feed states, budgets, latency, recorder, store. */
export const STATUS_STREAMS = { status: call<StatusState>()(v.strictObject({ view })) } as const

export interface LogValue {
  /** The last 500 entries when opened, then new ones. */
  readonly entries: readonly LogEntry[]
  readonly dropped: number
}

export const LOG_STREAMS = { log: call<LogValue>()(none) } as const
