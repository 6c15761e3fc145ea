/** `tapedeck replay`: plays a session through a hub and a digest fold, as the window does. */
import { jsonLine } from '../../base/json-schema.ts'
import { setImmediate as turn } from 'node:timers/promises'
import { countText } from '../../../shared/base/count-text.ts'
import type { SessionRow } from '../../../shared/core/recording/session.ts'
import type { ReplayExactness, ReplaySpeed } from '../../../shared/features/replay/replay.ts'
import { sessionId, type SessionId, type UnixMs } from '../../../shared/base/units.ts'
import { createDigestFold } from '../../core/market/digest.ts'
import { createHub } from '../../core/market/hub.ts'
import { hubCalendar } from '../../core/market/hub-calendar.ts'
import { createMarket, type Market } from '../../core/market/market.ts'
import { Cursor } from '../../core/playback/cursor.ts'
import { previous } from '../../core/playback/load-merge.ts'
import type { Part } from '../../core/playback/parts.ts'
import { NO_LIMITS, PlaybackState } from '../../core/playback/playback-state.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT, exitWhenUnfinished } from '../../command-line/exit.ts'
import { createProgressLine, type ProgressLine } from '../../command-line/progress-line.ts'
import { findSession, SESSION_HELP } from '../../command-line/sessions.ts'
import { waitUntil } from '../../base/clock.ts'
import { INSTANT_HELP, instant, ZONE_OPTION } from '../../command-line/times.ts'
import { withReader } from '../../core/store/with-reader.ts'
import { playTeam } from './play-team.ts'
import { REST_MS, TURN_MS, type MinuteLine, type Played } from './played.ts'
import { FASTEST, parseSpeed, SLOWEST } from './serve/query.ts'
import { GAP_MODES, SERVE_ONLY, STARTS } from './serve/options.ts'

export const replay = defineCommand({
  examples: [
    ['Compare a replay with live at full speed', '--session latest --digest'],
    ['Ten times as fast, from a given time', '--session ID --speed 10 --from 2026-01-05T09:30:00-05:00'],
    [
      'An hour of all shards of a team, merged by receive time',
      '--source team:*@eu --from 2026-01-05T09:00Z --to 2026-01-05T10:00Z --digest',
    ],
    ['Serve a session to any client of the service, as if it were live', '--serve 8017 --session ID'],
    [
      'Serve an hour of all shards of a team',
      '--serve 8017 --source team:*@eu --from 2026-01-05T09:00Z --to 2026-01-05T10:00Z',
    ],
    [
      'Serve it as fast as clients read, once every recorded symbol is subscribed',
      '--serve 8017 --session ID --speed max --start all',
    ],
  ],
  options: {
    session: {
      type: 'string',
      multiple: true,
      value: 'ID',
      help: `The session to play: ${SESSION_HELP}. With --serve, several of one source may follow each other, and those of a team are merged`,
    },
    source: {
      type: 'string',
      value: 'KEY',
      help: 'Instead of a session: all sessions of a team as one, such as team:*@eu, or of a shard, such as team:2@eu',
    },
    speed: { type: 'string', value: '0.25..1000|max', help: 'Playback speed (default: 1; with --digest: max)' },
    from: { type: 'string', value: 'T', help: `Start at this receive time: ${INSTANT_HELP}` },
    to: { type: 'string', value: 'T', help: 'With --serve or --source: stop before this receive time' },
    zone: ZONE_OPTION,
    digest: { type: 'boolean', help: 'Print a hash of the state at each minute and at the end' },
    serve: {
      type: 'string',
      value: 'PORT',
      help: 'Serve the session on loopback over the service’s own protocol, and as NDJSON at /replay; 0: any free port',
    },
    loop: { type: 'boolean', help: 'With --serve: start again at the end' },
    start: {
      type: 'string',
      value: STARTS.join('|'),
      words: STARTS,
      help: 'With --serve: start at the first subscription (default), once all recorded symbols are subscribed, or paused',
    },
    gaps: {
      type: 'string',
      value: GAP_MODES.join('|'),
      words: GAP_MODES,
      help: 'With --serve: what clients see at a recorded gap (default: silence)',
    },
  },
  async run(values, context) {
    const sessions = values.texts('session')
    const source = values.text('source')
    const speed = readSpeed(values)
    if (source !== undefined && sessions.length > 0) throw new UsageError('--session can’t be used with --source')
    const [session] = sessions
    if (session === undefined && source === undefined) throw new UsageError('choose the session with --session ID')
    if (values.text('serve') !== undefined) {
      const { serveReplay } = await import('./serve/cli.ts')
      return serveReplay({ values, context, sessions, source, speed })
    }
    if (source !== undefined) return replayTeam({ values, context, source, speed })
    const misplaced = SERVE_ONLY.find((name) => values.text(name) !== undefined || values.on(name))
    if (misplaced === 'to') throw new UsageError('--to needs --serve or --source')
    if (misplaced !== undefined) throw new UsageError(`--${misplaced} needs --serve`)
    if (sessions.length > 1) throw new UsageError('several sessions can be played only with --serve')
    const fromMs = instant(values, 'from', context.clock)
    const json = values.on('json')
    const played = await withReader(values, context, async (reader) => {
      const row = findSession(await reader.sessions(), session)
      const progress = createProgressLine(context, !json)
      try {
        return await play({ reader, row, speed, fromMs, context, progress })
      } finally {
        progress.clear()
      }
    })
    return played === null ? stopped(context) : report(played, values, context)
  },
})

/** `--source`: all sessions of a team as one. */
async function replayTeam({
  values,
  context,
  source,
  speed,
}: {
  readonly values: Values
  readonly context: Context
  readonly source: string
  readonly speed: ReplaySpeed
}): Promise<number> {
  const misplaced = SERVE_ONLY.filter((name) => name !== 'to').find(
    (name) => values.text(name) !== undefined || values.on(name),
  )
  if (misplaced !== undefined) throw new UsageError(`--${misplaced} needs --serve`)
  const fromMs = instant(values, 'from', context.clock) ?? -Infinity
  const toMs = instant(values, 'to', context.clock) ?? Infinity
  const progress = createProgressLine(context, !values.on('json'))
  const played = await withReader(values, context, async (reader) => {
    try {
      return await playTeam({ reader, source, speed, fromMs, toMs, context, progress })
    } finally {
      progress.clear()
    }
  })
  return played === null ? stopped(context) : report(played, values, context)
}

/** Ctrl+C needs no sentence. */
function stopped(context: Context): number {
  const code = exitWhenUnfinished(context.signal)
  if (code === EXIT.failed) context.err('tapedeck: The replay was stopped before its end.\n')
  return code
}

function report(played: Played, values: Values, context: Context): number {
  const { messages, digest, minutes, exactness } = played
  if (values.on('json')) context.out(jsonLine('replay', jsonOf(played)))
  else {
    if (values.on('digest')) {
      for (const one of minutes) context.out(`${new Date(one.at).toISOString()}  ${one.seq}  ${one.digest}\n`)
    }
    context.out(`messages ${messages}\ndigest ${digest}\n${words(exactness)}\n`)
  }
  if (exactness.is !== 'differs') return EXIT.ok
  context.err(`tapedeck: ${words(exactness)}\n`)
  return EXIT.failed
}

/** Start of a minute: `at` in UTC ms, as in the first version of the shape, and `time` in ISO 8601, as everywhere else. */
const minuteJson = (at: UnixMs) => ({ at, time: new Date(at).toISOString() })
const lineJson = ({ at, seq, digest }: MinuteLine) => ({ ...minuteJson(at), seq, digest })

function jsonOf({ messages, digest, minutes, live, exactness }: Played): Record<string, unknown> {
  const difference =
    exactness.is === 'differs'
      ? {
          ...minuteJson(exactness.minuteMs),
          seq: exactness.seq,
          live: exactness.live,
          replay: exactness.replay || null,
        }
      : null
  return {
    messages,
    digest,
    minutes: minutes.map(lineJson),
    verdict: VERDICTS[exactness.is],
    compared: comparedMinutes(exactness, live),
    difference,
    ...(exactness.is === 'not comparable' ? { why: exactness.why } : {}),
    live: live.map(lineJson),
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
  }
}

function readSpeed(values: Values): ReplaySpeed {
  const text = values.text('speed')
  if (text === undefined) return values.on('digest') ? 'max' : 1
  const speed = parseSpeed(text)
  if (speed === undefined)
    throw new UsageError(`--speed takes a number from ${SLOWEST} to ${FASTEST}, or max, not "${text}"`)
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
  const session = sessionId(row.session)
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
  const end = await reader.findPosition({ session, ms: Number.MAX_SAFE_INTEGER })
  // The last message or entry before the instant: the instant itself is played.
  const start = fromMs === undefined ? null : await reader.findPosition({ session, ms: previous(fromMs) })
  const snapshot =
    start === null ? null : await reader.snapshot({ session, upToSeq: start.seq, version: market.version })
  const part: Part = {
    session,
    fromMs: row.startedMs,
    toMs: end?.ms ?? row.startedMs,
    lastSeq: end?.seq ?? 0,
    counts: null,
    clean: row.clean,
  }
  const at = { seq: snapshot?.seq ?? 0, timeMs: snapshot?.wallMs ?? row.startedMs }
  const cursor = new Cursor(reader, session, at.seq, part.lastSeq, { reusesBatches: true, prefersRecords: true })
  const state = new PlaybackState(market, part, cursor, at)
  try {
    if (snapshot !== null) {
      state.catchUp(await reader.entries({ session }))
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
        else await waitUntil(context.clock, context.signal, REST_MS)
      }
    }
    if (start !== null && !(await goTo(() => ({ upToMs: Infinity, upToSeq: start.seq })))) return null
    const before = state.messages
    minutes.length = 0
    const sinceMs = nowMs()
    const clockMs = Math.max(fromMs ?? -Infinity, state.nextMs() ?? state.timeMs)
    const upToMs = (): number => (speed === 'max' ? Infinity : clockMs + (nowMs() - sinceMs) * speed)
    if (!(await goTo(() => ({ upToMs: upToMs(), upToSeq: Infinity })))) return null
    const live = await liveDigests(reader, session, at.seq)
    return { messages: state.messages - before, digest: fold.now(), minutes, live, exactness: state.exactness }
  } finally {
    cursor.close()
  }
}

async function liveDigests(reader: StoreReader, session: SessionId, afterSeq: number): Promise<MinuteLine[]> {
  const entries = await reader.entries({ session, afterSeq, types: ['digest'] })
  return entries.flatMap(({ seq, entry }) =>
    entry.type === 'digest' ? [{ at: entry.minuteMs, seq, digest: entry.sha256 }] : [],
  )
}
