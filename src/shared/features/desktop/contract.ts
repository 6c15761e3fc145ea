/** Requests from the desktop to a window, and what a window tells the desktop. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import type { NumberedAsk } from './requests.ts'
import type { AppInfo } from '../../core/status/status.ts'
import { call, none } from '../../rpc/contract.ts'

const row = v.strictObject({ id: text(64), title: text(120), group: text(40), keys: v.nullable(text(40)) })

export const DESK_CALLS = {
  /** The window's commands, for the host's menu. A host without a menu ignores them. */
  'desktop.menu': call<null>()(v.strictObject({ rows: v.pipe(v.array(row), v.maxLength(300)) })),
  /** The window as it prints, as a PDF in Base64; null: the host can't make one. */
  'desktop.pdf': call<string | null>()(none),
  /** This window has sent everything that is to be saved, as `closing` in `desktop.info` asks for. */
  'desktop.saved': call<null>()(none),
  'app.info': call<AppInfo>()(none),
  /** Opens an http(s) link outside, after the window asked the user. */
  'app.openExternal': call<null>()(v.strictObject({ url: text(2048) })),
} as const

export const DESK_STREAMS = {
  /** Requests that no window has taken yet, oldest first. A window answers each number once. */
  'desktop.asks': call<readonly NumberedAsk[]>()(none),
  /** The value of `app.info`, whenever it changes. */
  'desktop.info': call<AppInfo>()(none),
} as const
