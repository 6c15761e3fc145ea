/** Feeds, recorder and store as they are now, what happened to them, and the switches of feeds and recording. */
import * as v from 'valibot'
import { call, feed, none, view } from '../../rpc/contract.ts'
import type { LogEntry, StatusState } from './status.ts'

export const LIVE_CALLS = {
  /** Leaves `refused` or ends the wait of `waiting` at once. */
  'feeds.retry': call<null>()(v.strictObject({ feed })),
  'recording.set': call<null>()(v.strictObject({ on: v.boolean() })),
  /** The machine's network came back or changed: connections that wait try at once, open ones are probed. */
  'app.networkChanged': call<null>()(none),
} as const

/** Feed states, budgets, latency, recorder, store. */
export const STATUS_STREAMS = { status: call<StatusState>()(v.strictObject({ view })) } as const

export interface LogValue {
  /** On opening: the last 500, then what came since. */
  readonly entries: readonly LogEntry[]
  readonly dropped: number
}

export const LOG_STREAMS = { log: call<LogValue>()(none) } as const
