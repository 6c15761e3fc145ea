/** Where a replay opens if no time was asked for. */
import { MINUTE_MS } from '../../../shared/base/durations.ts'
import type { OpenReplay } from './replay-view.ts'

/** What a first frame covers at least, and the longest wait for the end of a minute after it, ms. */
const LEAST_MS = 10_000
/** Of a short session, a first frame covers at most this share. */
const SHARE = 0.1

/**
 * The time of the first frame, UTC ms: the end of the first minute in which something was received, so that prices and
 * a whole bar are there. At least ten seconds after the first message, and of a short session at most a tenth.
 */
export function firstFrameMs(firstMs: number, toMs: number): number {
  const minute = (Math.floor((firstMs + LEAST_MS) / MINUTE_MS) + 1) * MINUTE_MS
  return Math.min(minute, firstMs + Math.floor((toMs - firstMs) * SHARE))
}

/** A session whose first messages are this many acknowledgements is opened at its start. */
const MOST_STEPS = 500

/** Seeks to the first frame; to the start if no price was received. */
export async function seekFirstFrame({
  player,
  state,
  view,
}: Pick<OpenReplay, 'player' | 'state' | 'view'>): Promise<void> {
  await player.seekStart()
  // What was known before the session is there from its start; acknowledgements come before the first price.
  const before = view.hub.lastRecvMs
  for (let i = 0; i < MOST_STEPS && view.hub.lastRecvMs === before; i++) {
    const { nowMs, at } = state()
    await player.stepMessage(true)
    const now = state()
    if (now.nowMs === nowMs && now.at?.seq === at?.seq && now.at?.session === at?.session) break
  }
  if (view.hub.lastRecvMs === before) return player.seekStart()
  const { nowMs, toMs } = state()
  await player.seek(firstFrameMs(nowMs, toMs))
}
