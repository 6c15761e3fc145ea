/** Plays the sessions of a team's shards as one, by receive time, for the command line. */
import { setImmediate as turn } from 'node:timers/promises'
import type { ReplaySpeed } from '../../../shared/features/replay/replay.ts'
import type { Context } from '../../command-line/command.ts'
import type { ProgressLine } from '../../command-line/progress-line.ts'
import { waitUntil } from '../../base/clock.ts'
import { createDigestFold } from '../../core/market/digest.ts'
import { createHub } from '../../core/market/hub.ts'
import { hubCalendar } from '../../core/market/hub-calendar.ts'
import { createMarket, type Market } from '../../core/market/market.ts'
import { Cursor } from '../../core/playback/cursor.ts'
import { loadMerge, previous } from '../../core/playback/load-merge.ts'
import { NO_LIMITS, PlaybackState } from '../../core/playback/playback-state.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { REST_MS, TURN_MS, type MinuteLine, type Played } from './played.ts'

export interface TeamPlayOptions {
  readonly reader: StoreReader
  /** Of a team's shard, or of all of them. */
  readonly source: string
  readonly speed: ReplaySpeed
  /** Receive times to play, [from, to), UTC ms by the service's clock. */
  readonly fromMs: number
  readonly toMs: number
  readonly context: Pick<Context, 'clock' | 'signal'>
  readonly progress?: ProgressLine
}

/**
 * Plays what the view of all sessions has in a range, from an empty market. Equal stores give equal digests. Null if
 * Ctrl+C stopped it. Rejects with `not-found` if there is nothing to play.
 */
export async function playTeam(options: TeamPlayOptions): Promise<Played | null> {
  const { reader, source, speed, fromMs, toMs, context, progress } = options
  const { clock, signal } = context
  const { playback, part } = await loadMerge(reader, {
    source,
    fromMs,
    endMs: toMs === Infinity ? Infinity : previous(toMs),
  })
  const fold = createDigestFold()
  const inner = createMarket(createHub({ calendar: hubCalendar }), fold)
  const minutes: MinuteLine[] = []
  let messages = 0
  const market: Market = {
    ...inner,
    digest(feed, recvMs, record) {
      messages += 1
      const taken = inner.digest(feed, recvMs, record)
      if (taken !== null) minutes.push({ at: taken.minuteMs, seq: messages, digest: taken.sha256 })
      return taken
    },
  }
  const cursor = new Cursor(playback, part.session, 0, part.lastSeq)
  const state = new PlaybackState(market, part, cursor, { seq: 0, timeMs: -Infinity })
  try {
    const nowMs = (): number => clock.monoNs() / 1e6
    await cursor.waitForNext()
    const [sinceMs, firstMs] = [nowMs(), state.nextMs() ?? part.fromMs]
    for (;;) {
      if (signal.aborted) return null
      const until = nowMs() + TURN_MS
      const upToMs = speed === 'max' ? Infinity : firstMs + (nowMs() - sinceMs) * speed
      const went = state.advance({ ...NO_LIMITS, upToMs, isTimeUp: () => nowMs() >= until })
      if (cursor.failure !== null) throw cursor.failure
      progress?.draw(messages, 0, new Date(state.timeMs).toISOString(), 'messages')
      if (went === 'end') break
      if (went === 'pending') await cursor.waitForNext()
      else if (went === 'time-up') await turn()
      else await waitUntil(context.clock, context.signal, REST_MS)
    }
    return { messages, digest: fold.now(), minutes, live: [], exactness: state.exactness }
  } finally {
    cursor.close()
  }
}
