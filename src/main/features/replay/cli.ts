/** `tapedeck replay`: plays a session through a hub and a digest fold, as the window does. */
import { setImmediate as turn } from 'node:timers/promises'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError, missingCase } from '../../../shared/base/errors.ts'
import type { SessionRow } from '../../../shared/core/recording/recording.ts'
import type { ReplayExactness, ReplaySpeed } from '../../../shared/features/replay/replay.ts'
import { recordingId, type RecordingId, type UnixMs } from '../../../shared/base/units.ts'
import { createDigestFold } from '../../core/market/digest.ts'
import { createHub } from '../../core/market/hub.ts'
import { hubCalendar } from '../../core/market/hub-calendar.ts'
import { createMarket, type Market } from '../../core/market/market.ts'
import { Cursor } from '../../core/playback/cursor.ts'
import type { Part } from '../../core/playback/parts.ts'
import { NO_LIMITS, PlaybackState } from '../../core/playback/playback-state.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { defineCommand, instant, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT, exitWhenUnfinished } from '../../command-line/exit.ts'
import { createProgressLine, type ProgressLine } from '../../command-line/progress-line.ts'
import { withReader } from '../../core/store/with-reader.ts'

/** Maximum time between checks for Ctrl+C while playing, and between checks of the clock while waiting, ms. */
const TURN_MS = 20
const REST_MS = 20

export const replay = defineCommand({
  examples: [
    ['Compare a replay with live at full speed', '--session ID --digest'],
    ['Ten times as fast, from a given time', '--session ID --speed 10 --from 2026-01-05T09:30:00-05:00'],
  ],
  options: {
    session: { type: 'string', value: 'ID', help: 'The session to play; tapedeck sessions lists them' },
    speed: { type: 'string', value: '0.25..1000|max', help: 'Playback speed (default: 1; with --digest: max)' },
    from: { type: 'string', value: 'T', help: 'Start at this receive time: ISO 8601 with a zone, or epoch ms' },
    digest: { type: 'boolean', help: 'Print a hash of the state at each minute and at the end' },
  },
  async run(values, context) {
    const session = values.text('session')
    if (session === undefined) throw new UsageError('choose the session with --session ID')
    const speed = readSpeed(values)
    const fromMs = instant(values, 'from')
    const json = values.on('json')
    const played = await withReader(values, context, async (reader) => {
      const row = (await reader.sessions()).find((one) => one.session === session)
      if (row === undefined) {
        throw new CodedError('not-found', `There is no session ${session}.`, {
          hint: '"tapedeck sessions" lists them.',
        })
      }
      const progress = createProgressLine(context, !json)
      try {
        return await play({ reader, row, speed, fromMs, context, progress })
      } finally {
        progress.clear()
      }
    })
    if (played === null) return exitWhenUnfinished(context.signal)
    const { messages, digest, minutes, exactness } = played
    if (json) context.out(`${JSON.stringify(jsonOf(played))}\n`)
    else {
      if (values.on('digest')) {
        for (const one of minutes) context.out(`${new Date(one.at).toISOString()}  ${one.seq}  ${one.digest}\n`)
      }
      context.out(`messages ${messages}\ndigest ${digest}\n${words(exactness)}\n`)
    }
    if (exactness.is !== 'differs') return EXIT.ok
    context.err(`tapedeck: ${words(exactness)}\n`)
    return EXIT.failed
  },
})

/** The result as JSON. */
function jsonOf({ messages, digest, minutes, live, exactness }: Played): Record<string, unknown> {
  const difference =
    exactness.is === 'differs'
      ? { at: exactness.minuteMs, seq: exactness.seq, live: exactness.live, replay: exactness.replay || null }
      : null
  return {
    messages,
    digest,
    minutes,
    verdict: VERDICTS[exactness.is],
    compared: comparedMinutes(exactness, live),
    difference,
    ...(exactness.is === 'not comparable' ? { why: exactness.why } : {}),
    live,
  }
}

const VERDICTS = {
  none: 'nothing-to-compare',
  'not comparable': 'nothing-to-compare',
  identical: 'identical',
  differs: 'different',
} as const satisfies Record<ReplayExactness['is'], string>

/** How many minutes were compared, up to and including the first that differs. */
function comparedMinutes(exactness: ReplayExactness, live: readonly MinuteLine[]): number {
  switch (exactness.is) {
    case 'identical':
      return exactness.minutes
    case 'differs':
      return live.filter(({ at }) => at <= exactness.minuteMs).length
    case 'none':
    case 'not comparable':
      return 0
    default:
      return missingCase(exactness)
  }
}

function readSpeed(values: Values): ReplaySpeed {
  const text = values.text('speed')
  if (text === undefined) return values.on('digest') ? 'max' : 1
  if (text === 'max') return 'max'
  const speed = Number(text)
  if (text.trim() === '' || !(speed >= 0.25 && speed <= 1_000)) {
    throw new UsageError(`--speed takes a number from 0.25 to 1000, or max, not "${text}"`)
  }
  return speed
}

function words(exactness: ReplayExactness): string {
  switch (exactness.is) {
    case 'none':
      return 'nothing to compare: this part of the session has no digests'
    case 'identical':
      return `identical to live at ${exactness.minutes} of ${countText(exactness.minutes, 'minute')}`
    case 'differs':
      return (
        `the state first differs from live in the minute ${new Date(exactness.minuteMs).toISOString()} ` +
        `(seq ${exactness.seq}): live ${exactness.live}, replay ${exactness.replay || 'none'}`
      )
    case 'not comparable':
      return `not comparable: ${exactness.why}`
  }
}

interface MinuteLine {
  /** Start of the minute, UTC ms. */
  readonly at: UnixMs
  /** Seq of the first message after the minute. For live minutes, the seq of the digest entry. */
  readonly seq: number
  readonly digest: string
}

export interface Played {
  readonly messages: number
  readonly digest: string
  readonly minutes: readonly MinuteLine[]
  /** The digests that live wrote, from the snapshot where playback began, which may be before `--from`. */
  readonly live: readonly MinuteLine[]
  readonly exactness: ReplayExactness
}

interface PlayOptions {
  readonly reader: StoreReader
  readonly row: SessionRow
  readonly speed: ReplaySpeed
  readonly fromMs: number | undefined
  readonly context: Pick<Context, 'clock' | 'signal'>
  readonly progress?: ProgressLine
}

/** Plays a session to its end. Null if Ctrl+C stopped it. */
export async function play({ reader, row, speed, fromMs, context, progress }: PlayOptions): Promise<Played | null> {
  const { clock, signal } = context
  const recording = recordingId(row.session)
  const minutes: MinuteLine[] = []
  const fold = createDigestFold()
  const inner = createMarket(createHub({ calendar: hubCalendar }), fold)
  const market: Market = {
    ...inner,
    digest(feed, recvMs, record) {
      const taken = inner.digest(feed, recvMs, record)
      if (taken !== null) minutes.push({ at: taken.minuteMs, seq: state.seq, digest: taken.sha256 })
      return taken
    },
  }
  const end = await reader.findPosition({ recording, ms: Number.MAX_SAFE_INTEGER })
  const start = fromMs === undefined ? null : await reader.findPosition({ recording, ms: fromMs })
  const snapshot =
    start === null ? null : await reader.snapshot({ recording, upToSeq: start.seq, version: market.version })
  const part: Part = {
    recording,
    fromMs: row.startedMs,
    toMs: end?.ms ?? row.startedMs,
    lastSeq: end?.seq ?? 0,
    notBeforeMs: -Infinity,
    clean: row.clean,
  }
  const at = { seq: snapshot?.seq ?? 0, timeMs: snapshot?.wallMs ?? row.startedMs }
  const cursor = new Cursor(reader, recording, at.seq, part.lastSeq)
  const state = new PlaybackState(market, part, cursor, at)
  try {
    if (snapshot !== null) {
      state.catchUp(await reader.entries({ recording }))
      market.restore(snapshot.data, state.tracker.marketContext())
    }
    const nowMs = (): number => clock.monoNs() / 1e6
    const goTo = async (due: () => { readonly upToMs: number; readonly upToSeq: number }): Promise<boolean> => {
      for (;;) {
        if (signal.aborted) return false
        const until = nowMs() + TURN_MS
        const went = state.advance({ ...NO_LIMITS, ...due(), isTimeUp: () => nowMs() >= until })
        if (cursor.failure !== null) throw cursor.failure
        progress?.draw(state.messages, row.messages, new Date(state.timeMs).toISOString(), 'messages')
        if (went === 'end') return true
        if (went === 'pending') await cursor.waitForNext()
        else if (went === 'time-up') await turn()
        else if (due().upToMs === Infinity) return true
        else await rest(context, REST_MS)
      }
    }
    if (start !== null && !(await goTo(() => ({ upToMs: Infinity, upToSeq: start.seq })))) return null
    const before = state.messages
    minutes.length = 0
    const sinceMs = nowMs()
    const clockMs = Math.max(fromMs ?? -Infinity, state.nextMs() ?? state.timeMs)
    const upToMs = (): number => (speed === 'max' ? Infinity : clockMs + (nowMs() - sinceMs) * speed)
    if (!(await goTo(() => ({ upToMs: upToMs(), upToSeq: Infinity })))) return null
    const live = await liveDigests(reader, recording, at.seq)
    return { messages: state.messages - before, digest: fold.now(), minutes, live, exactness: state.exactness }
  } finally {
    cursor.close()
  }
}

async function liveDigests(reader: StoreReader, recording: RecordingId, afterSeq: number): Promise<MinuteLine[]> {
  const entries = await reader.entries({ recording, afterSeq, types: ['digest'] })
  return entries.flatMap(({ seq, entry }) =>
    entry.type === 'digest' ? [{ at: entry.minuteMs, seq, digest: entry.sha256 }] : [],
  )
}

/** Waits, but not past Ctrl+C. */
function rest({ clock, signal }: Pick<Context, 'clock' | 'signal'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      undo()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const undo = clock.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}
