/** Screens of a view, and which symbols entered or left the saved ones. */
import * as v from 'valibot'
import type { InstrumentId, UnixMs } from '../../base/units.ts'
import { call, limit, none, view } from '../../rpc/contract.ts'
import type { ScreenPage } from './rows.ts'
import { screenSchema } from './screen.ts'

/** The largest page. */
export const MAX_SCREEN_ROWS = 2_000

/** A saved screen whose members changed. */
export interface ScreenChange {
  /** Unique across starts of the terminal. */
  readonly id: number
  readonly atMs: UnixMs
  /** The saved screen's id and name. */
  readonly screen: string
  readonly name: string
  /** Symbols as the service writes them. */
  readonly entered: readonly { readonly instrument: InstrumentId; readonly symbol: string }[]
  readonly left: readonly { readonly instrument: InstrumentId; readonly symbol: string }[]
}

export const SCREENER_CALLS = {
  /** The whole result now, with all its rows, for a file. */
  'screener.read': call<ScreenPage>()(v.strictObject({ view, screen: screenSchema })),
} as const

export const SCREENER_STREAMS = {
  /** A page of a screen, about once a second while the view's prices change. Never later than the view's clock. */
  screener: call<ScreenPage>()(
    v.strictObject({
      view,
      screen: screenSchema,
      offset: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e6)),
      limit: limit(MAX_SCREEN_ROWS),
    }),
  ),
  /** The newest changes of members of saved screens, oldest first. Always of the live market. */
  'screener.changes': call<readonly ScreenChange[]>()(none),
} as const
