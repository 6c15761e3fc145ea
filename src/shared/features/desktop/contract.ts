/** What the system outside asks of a window, and what a window tells it. */
import * as v from 'valibot'
import type { NumberedAsk } from './requests.ts'
import type { AppInfo } from '../../core/status/status.ts'
import { call, none, text } from '../../rpc/contract.ts'

const row = v.strictObject({ id: text(64), title: text(120), group: text(40), keys: v.nullable(text(40)) })

export const DESK_CALLS = {
  /** The window's commands, for the host's own menu. A host without one does nothing. */
  'desk.menu': call<null>()(v.strictObject({ rows: v.pipe(v.array(row), v.maxLength(300)) })),
  'app.info': call<AppInfo>()(none),
  /** Opens an http(s) link outside, after the window asked. */
  'app.openExternal': call<null>()(v.strictObject({ url: text(2048) })),
} as const

export const DESK_STREAMS = {
  /** What was asked and not yet taken by a window, oldest first. Windows answer each number once. */
  'desk.asks': call<readonly NumberedAsk[]>()(none),
  /** What `app.info` answers, whenever something of it changed. */
  'desk.info': call<AppInfo>()(none),
} as const
