/** Calls and the stream of replays. */
import * as v from 'valibot'
import { count, instrument, text } from '../../base/schemas.ts'
import { ASSET_CLASSES } from '../../base/units.ts'
import type { ReplayBookmark, ReplayState, ReplayTimeline, ServedReplay, ServedState } from './replay.ts'
import { interval } from '../../core/market/contract.ts'
import { call, limit, ms } from '../../rpc/contract.ts'

const id = text(64)
const session = text(64)
const bookmark = limit(2 ** 31)
const at = v.variant('at', [
  v.strictObject({ at: v.literal('start') }),
  v.strictObject({ at: v.literal('end') }),
  v.strictObject({ at: v.literal('ms'), ms }),
  /** The start of the next or previous gap of any feed. */
  v.strictObject({ at: v.picklist(['next gap', 'previous gap']) }),
  v.strictObject({ at: v.picklist(['next bookmark', 'previous bookmark']) }),
  v.strictObject({ at: v.literal('bookmark'), bookmark }),
  /** The next opening of the asset class's trading session (for crypto, of the UTC day). */
  v.strictObject({ at: v.literal('next open'), asset: v.picklist(ASSET_CLASSES) }),
])

export const REPLAY_CALLS = {
  /**
   * Opens sessions of one source as a view, at a replay time. `atMs` null opens them at the start, before the first
   * message; `first frame` opens them a little after the first price, when a bar is there to see. Several sessions of a
   * team are played as one, in the order in which their messages arrived. With `team`, the other sessions of their team
   * at that time are played, too.
   * Fails with `not-found` and `ambiguous-source`.
   */
  'replay.open': call<ReplayState>()(
    v.strictObject({
      sessions: v.pipe(v.array(session), v.minLength(1), v.maxLength(100)),
      atMs: v.nullable(v.union([ms, v.literal('first frame')])),
      team: v.optional(v.boolean()),
    }),
  ),
  'replay.close': call<null>()(v.strictObject({ id })),
  'replay.play': call<null>()(v.strictObject({ id, on: v.boolean() })),
  'replay.speed': call<null>()(
    v.strictObject({ id, speed: v.union([v.literal('max'), v.pipe(v.number(), v.minValue(0.25), v.maxValue(1000))]) }),
  ),
  /**
   * Pauses and steps. Returns once the state is reached. `interval`: a step of one bar, to the next or previous edge on
   * `asset`'s grid (absent: UTC). Up to a minute forward counts as playing, anything else as a seek. Rejects with
   * `cancelled` if another step or seek replaces it.
   */
  'replay.step': call<ReplayState>()(
    v.strictObject({
      id,
      by: v.picklist(['message', 'second', 'bar']),
      forward: v.boolean(),
      interval,
      asset: v.optional(v.picklist(ASSET_CLASSES)),
    }),
  ),
  /**
   * Returns once the state at that time is reached; if it was playing, it continues. Rejects with `not-found` if there
   * is no such gap, bookmark or opening, and with `cancelled` if another seek replaces it.
   */
  'replay.seek': call<ReplayState>()(v.strictObject({ id, to: at })),
  'replay.options': call<null>()(
    v.strictObject({
      id,
      skipIdle: v.optional(v.boolean()),
      loop: v.optional(v.nullable(v.strictObject({ fromMs: ms, toMs: ms }))),
    }),
  ),
  'replay.timeline': call<ReplayTimeline>()(v.strictObject({ id, fromMs: ms, toMs: ms, buckets: limit(2_000) })),
  /** Whether nothing of an instrument is in the replay's sessions. False while one of them is still being recorded. */
  'replay.lacks': call<boolean>()(v.strictObject({ id, instrument })),
  /**
   * Serves the replay to other programs on this computer until it is closed, over the service's own protocol. Port 0
   * means any free one. Returns the running server if there is one. Fails with `not-allowed` if the port is taken.
   */
  'replay.serve': call<ServedReplay>()(
    v.strictObject({ id, port: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535)) }),
  ),
  'replay.stop-serving': call<null>()(v.strictObject({ id })),
  'bookmarks.list': call<readonly ReplayBookmark[]>()(v.strictObject({ session: v.nullable(session) })),
  'bookmarks.add': call<ReplayBookmark>()(
    v.strictObject({ session, atMs: ms, seq: v.nullable(count), text: text(200) }),
  ),
  'bookmarks.remove': call<null>()(v.strictObject({ bookmark })),
} as const

export const REPLAY_STREAMS = {
  /**
   * The replay's state, at most once per frame. Ends with `not-found` when the replay is closed, like every stream of
   * its view.
   */
  replay: call<ReplayState>()(v.strictObject({ id })),
  /** How other programs connect to the replay. */
  'replay.served': call<ServedState>()(v.strictObject({ id })),
} as const
