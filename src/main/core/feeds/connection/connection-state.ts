/**
 * The state machine of a connection as a pure function: (state, event) → [state, effects]. It has no socket, timer or
 * clock; `connection.ts` runs the effects and passes in what happens as events.
 */
import { missingCase, type Failure } from '../../../../shared/base/errors.ts'
import type { GapCause } from '../../../../shared/core/recording/session.ts'
import type { FeedState, Reason } from '../../../../shared/core/status/status.ts'
import { feedAsset, instrumentKey, unixMs, type FeedId, type UnixMs } from '../../../../shared/base/units.ts'
import {
  ASLEEP_REASON,
  SILENT_REASON,
  muteReason,
  askReason,
  oversizeReason,
  unacknowledgedReason,
  verdictOfClose,
  verdictOfSocket,
  verdictOfUpgrade,
  type Verdict,
} from '../../../../service/reasons.ts'
import { backoffMs } from './backoff.ts'
import type {
  Moment,
  Phase,
  ConnectionEffect,
  ConnectionEvent,
  ConnectionGap,
  ConnectionState,
  TimerName,
} from './connection-model.ts'

/** How long an acknowledgment may take, ms. */
export const ACK_WITHIN_MS = 10_000
/** How long the close may take after an error frame, ms. */
const CLOSE_WITHIN_MS = 3_000
/** A connection that stayed open this long counts as a success and clears earlier failures, ms. */
export const STEADY_MS = 5_000
/** A token that worked this long, or until it expired, may be renewed again, ms. */
export const TOKEN_WORKED_MS = 60_000
/** A clock set by more than this leaves a gap, ms. */
const CLOCK_GAP_MS = 5_000
/** The longest wait for `wake` after `sleep`, ms. */
const SLEEP_AT_MOST_MS = 30_000
/** After this many rejections in a row the connection stops and the user has to retry. */
export const REJECTIONS = 3

export function idleConnection(feed: FeedId, origin: string): ConnectionState {
  return {
    feed,
    origin,
    phase: { is: 'idle' },
    generation: 0,
    attempt: 0,
    renewals: 0,
    rejections: 0,
    error: null,
    wanted: [],
    sent: [],
    pending: 0,
    outdated: 0,
    acknowledged: [],
    gaps: [],
    nextGap: 1,
  }
}

/** The state as windows see it. */
export function shown(state: ConnectionState): FeedState {
  const { phase, attempt } = state
  switch (phase.is) {
    case 'connecting':
      return { is: 'connecting', attempt: attempt + 1 }
    case 'waiting':
      return { is: 'waiting', untilMs: phase.untilMs, attempt, why: phase.why }
    case 'idle':
    case 'open':
    case 'stale':
    case 'refused':
      return phase
    default:
      return missingCase(phase)
  }
}

/** Wanted tickers that are not acknowledged. */
export function missing(state: ConnectionState): readonly string[] {
  return without(state.feed, state.wanted, state.acknowledged)
}

type Step = readonly [ConnectionState, readonly ConnectionEffect[]]

/** Applies an event. Events of an earlier socket (by generation) are ignored. */
export function reduce(state: ConnectionState, event: ConnectionEvent, at: Moment): Step {
  if ('generation' in event && event.generation !== state.generation) return [state, []]
  switch (event.is) {
    case 'wanted':
      return onWanted(state, event.symbols, event.sinceMs, at)
    case 'tokenReady':
      return state.phase.is === 'connecting' && state.phase.step === 'renew' ? dial(state) : [state, []]
    case 'tokenFailed':
      return state.phase.is === 'connecting' ? lose(state, at, verdictOfToken(event.failure), 'token') : [state, []]
    case 'upgraded':
      return onUpgraded(state)
    case 'upgradeRefused': {
      const verdict = verdictOfUpgrade(state.feed, event.status, state.origin)
      return lose(state, at, verdict, causeOf(verdict), event.retryAfterMs ?? 0)
    }
    case 'acknowledged':
      return onAcknowledged(state, event.symbols, at)
    case 'released': {
      const { feed, acknowledged, sent } = state
      const subscribedAgain = among(feed, among(feed, acknowledged, event.symbols), sent)
      return [{ ...state, acknowledged: [...without(feed, acknowledged, event.symbols), ...subscribedAgain] }, []]
    }
    case 'frame':
      return onFrame(state, at)
    case 'errorFrame':
      return hasSocket(state)
        ? [{ ...state, error: event.error }, [{ do: 'armTimer', timer: 'closing', ms: CLOSE_WITHIN_MS }]]
        : [state, []]
    case 'closed': {
      const verdict = verdictOfClose(state.feed, event.code, event.words, state.error)
      return lose(state, at, verdict, causeOf(verdict))
    }
    case 'socketError':
      return lose(state, at, verdictOfSocket(event.code, hostOf(state.origin)), 'drop')
    case 'oversize':
      return lose(state, at, { then: 'retry', why: oversizeReason(event.limitBytes) }, 'drop')
    case 'halfOpen':
      return hangUp(state, 'terminate', lose(state, at, { then: 'retry', why: SILENT_REASON }, 'half-open'))
    case 'tick':
      return onTick(state, event, at)
    case 'timer':
      return onTimer(state, event.timer, at)
    case 'retry':
      return state.phase.is === 'waiting' || state.phase.is === 'refused' ? dial(clearFailures(state)) : [state, []]
    case 'sleep':
      return onSleep(state, at)
    case 'wake':
    case 'networkUp':
      if (state.phase.is === 'waiting') return dial({ ...state, attempt: 0 })
      return hasSocket(state) ? [state, [{ do: 'probe' }]] : [state, []]
    case 'paused':
      if (state.phase.is === 'waiting') return dial({ ...state, attempt: 0 })
      return prove(state, 'sleep', lostFrom(at))
    case 'clock':
      return onClock(state, event.shiftMs, unixMs(at.wallMs - event.elapsedMs))
    case 'quit': {
      const [gapped, effects] = openGap(state, 'quit', lostFrom(at), state.wanted)
      return [{ ...gapped, phase: { is: 'idle' } }, [...effects, { do: 'dropTimers' }]]
    }
    default:
      return missingCase(event)
  }
}

function onWanted(state: ConnectionState, symbols: readonly string[], sinceMs: UnixMs, at: Moment): Step {
  const { feed } = state
  const added = without(feed, symbols, state.wanted)
  const next: ConnectionState = { ...state, wanted: symbols }
  if (symbols.length === 0) {
    const closing: ConnectionEffect[] = state.gaps.map(({ id }) => ({ do: 'gapClose', id, toMs: at.wallMs }))
    if (isOccupied(state)) closing.push({ do: 'close', generation: state.generation, how: 'normal' })
    closing.push({ do: 'dropTimers' })
    const idle: ConnectionState = {
      ...clearFailures(next),
      phase: { is: 'idle' },
      gaps: [],
      sent: [],
      acknowledged: [],
      pending: 0,
      outdated: 0,
    }
    return [idle, state.phase.is === 'idle' ? [] : closing]
  }
  const cause: GapCause = state.phase.is === 'refused' ? 'refused' : 'connect'
  const [gapped, effects] = openGap(next, cause, sinceMs, added)
  if (state.phase.is === 'idle') {
    const [dialing, more] = dial(gapped)
    return [dialing, [...effects, ...more]]
  }
  const released = closeUnwanted(gapped, at)
  const all = [...effects, ...released[1]]
  return hasSocket(state) ? synchronise(released[0], all) : [released[0], all]
}

/** Sends the difference between wanted and subscribed tickers. */
function synchronise(state: ConnectionState, before: readonly ConnectionEffect[]): Step {
  const add = without(state.feed, state.wanted, state.sent)
  const remove = without(state.feed, state.sent, state.wanted)
  const effects: ConnectionEffect[] = [...before]
  if (remove.length > 0) effects.push({ do: 'send', action: 'unsubscribe', symbols: remove })
  if (add.length > 0) {
    effects.push({ do: 'send', action: 'subscribe', symbols: add })
    effects.push({ do: 'armTimer', timer: 'ack', ms: ACK_WITHIN_MS })
  }
  const sent = [...without(state.feed, state.sent, remove), ...add]
  return [{ ...state, sent, pending: state.pending + (add.length > 0 ? 1 : 0) }, effects]
}

function onUpgraded(state: ConnectionState): Step {
  if (state.phase.is !== 'connecting') return [state, [{ do: 'close', generation: state.generation, how: 'normal' }]]
  return synchronise({ ...state, phase: { is: 'connecting', step: 'acknowledge' } }, [])
}

function onAcknowledged(state: ConnectionState, symbols: readonly string[], at: Moment): Step {
  if (!hasSocket(state)) return [state, []]
  const pending = Math.max(0, state.pending - 1)
  if (state.outdated > 0) return [{ ...state, pending, outdated: state.outdated - 1 }, []]
  const opened: ConnectionState = {
    ...state,
    phase: state.phase.is === 'connecting' ? { is: 'open', sinceMs: at.wallMs } : state.phase,
    acknowledged: symbols,
    pending,
  }
  const extra = without(state.feed, symbols, state.sent)
  const [settled, effects] = settle(opened, at.wallMs, pending === 0)
  const log: ConnectionEffect[] =
    extra.length > 0
      ? [
          {
            do: 'log',
            level: 'warn',
            text: `the service acknowledged symbols without a subscription: ${extra.slice(0, 10).join(', ')}`,
          },
        ]
      : []
  return [settled, [...effects, ...log]]
}

/**
 * Closes the gaps of acknowledged symbols. Once no acknowledgment is pending (`final`), symbols that are still missing
 * get a gap of cause `unacknowledged` from now on.
 */
function settle(state: ConnectionState, nowMs: UnixMs, final: boolean): Step {
  const effects: ConnectionEffect[] = []
  const gaps: ConnectionGap[] = []
  const left: string[] = []
  for (const gap of state.gaps) {
    const rest = among(state.feed, without(state.feed, gap.symbols, state.acknowledged), state.wanted)
    const unchanged = rest.length === gap.symbols.length
    if (unchanged && (!final || gap.cause === 'unacknowledged')) {
      gaps.push(gap)
      continue
    }
    if (!final && rest.length > 0) {
      gaps.push(gap)
      continue
    }
    effects.push({ do: 'gapClose', id: gap.id, toMs: nowMs })
    left.push(...rest)
  }
  const settled: ConnectionState = { ...state, gaps }
  if (!final) return [settled, effects]
  const silent = [...left, ...without(state.feed, missing(settled), left)]
  const before = settled.gaps.length
  const [gapped, more] = openGap(settled, 'unacknowledged', nowMs, silent)
  const log: ConnectionEffect[] =
    gapped.gaps.length > before
      ? [{ do: 'log', level: 'warn', text: `not acknowledged: ${silent.slice(0, 10).join(', ')}` }]
      : []
  return [gapped, [...effects, ...more, ...log]]
}

function onFrame(state: ConnectionState, at: Moment): Step {
  if (state.phase.is === 'stale') return [{ ...state, phase: { is: 'open', sinceMs: state.phase.sinceMs } }, []]
  if (state.phase.is === 'connecting' && state.phase.step === 'acknowledge') {
    return [{ ...state, phase: { is: 'open', sinceMs: at.wallMs } }, []]
  }
  return [state, []]
}

function onTick(state: ConnectionState, tick: Extract<ConnectionEvent, { is: 'tick' }>, at: Moment): Step {
  if (state.phase.is !== 'open' || tick.silentMs <= tick.staleAfterMs) return [state, []]
  const lastMs = unixMs(at.wallMs - tick.silentMs)
  return [
    { ...state, phase: { is: 'stale', sinceMs: state.phase.sinceMs, lastMs } },
    tick.mute ? [{ do: 'problem', why: muteReason(state.feed) }] : [],
  ]
}

function onTimer(state: ConnectionState, timer: TimerName, at: Moment): Step {
  switch (timer) {
    case 'retry':
      return state.phase.is === 'waiting' ? dial(state) : [state, []]
    case 'closing': {
      if (state.error === null || !hasSocket(state)) return [state, []]
      const verdict = verdictOfClose(state.feed, 0, '', state.error)
      return hangUp(state, 'terminate', lose(state, at, verdict, causeOf(verdict)))
    }
    case 'ack': {
      if (state.pending === 0 || !hasSocket(state)) return [state, []]
      const why = unacknowledgedReason(state.feed)
      if (state.phase.is === 'connecting') {
        return hangUp(state, 'normal', lose(state, at, { then: 'retry', why }, 'drop'))
      }
      const [settled, effects] = settle({ ...state, pending: 0, outdated: 0 }, at.wallMs, true)
      return [settled, [...effects, { do: 'problem', why }]]
    }
    default:
      return missingCase(timer)
  }
}

function onSleep(state: ConnectionState, at: Moment): Step {
  if (!isOccupied(state) && state.phase.is !== 'connecting') return [state, []]
  const [gapped, effects] = openGap(state, 'sleep', lostFrom(at), state.wanted)
  const untilMs = unixMs(at.wallMs + SLEEP_AT_MOST_MS)
  const asleep = disconnected({ ...gapped, phase: { is: 'waiting', untilMs, why: ASLEEP_REASON } })
  return hangUp(state, 'normal', [
    asleep,
    [...effects, { do: 'dropTimers' }, { do: 'armTimer', timer: 'retry', ms: SLEEP_AT_MOST_MS }],
  ])
}

/**
 * Handles a wall clock that was set at `sinceMs` (in its new time) or later: shifts all saved times. A jump of seconds
 * may also mean that the machine was suspended without notice, so the connection has to be proven.
 */
function onClock(state: ConnectionState, shiftMs: number, sinceMs: UnixMs): Step {
  const moved: ConnectionState = { ...state, phase: movedBy(state.phase, shiftMs) }
  return Math.abs(shiftMs) > CLOCK_GAP_MS ? prove(moved, 'clock', sinceMs) : [moved, []]
}

function movedBy(phase: Phase, shiftMs: number): Phase {
  const moved = (ms: UnixMs): UnixMs => unixMs(ms + shiftMs)
  switch (phase.is) {
    case 'open':
      return { ...phase, sinceMs: moved(phase.sinceMs) }
    case 'stale':
      return { ...phase, sinceMs: moved(phase.sinceMs), lastMs: moved(phase.lastMs) }
    case 'waiting':
      return { ...phase, untilMs: moved(phase.untilMs) }
    case 'idle':
    case 'connecting':
    case 'refused':
      return phase
    default:
      return missingCase(phase)
  }
}

/** Probes the connection: opens a gap from `fromMs` until it responds. */
function prove(state: ConnectionState, cause: GapCause, fromMs: UnixMs): Step {
  if (!hasSocket(state) || state.sent.length === 0) return [state, []]
  const [gapped, effects] = openGap(state, cause, fromMs, state.wanted)
  // Subscribing again changes nothing at the service, but its response proves the connection.
  return [
    { ...gapped, pending: state.pending + 1, outdated: state.pending, acknowledged: [] },
    [
      ...effects,
      { do: 'probe' },
      { do: 'send', action: 'subscribe', symbols: state.sent },
      { do: 'armTimer', timer: 'ack', ms: ACK_WITHIN_MS },
    ],
  ]
}

/** Handles the end of a connection or of an attempt to connect. */
function lose(state: ConnectionState, at: Moment, verdict: Verdict, cause: GapCause, atLeastMs = 0): Step {
  const { phase } = state
  if (phase.is === 'idle' || phase.is === 'waiting' || phase.is === 'refused') return [state, []]
  const openMs = phase.is === 'open' || phase.is === 'stale' ? at.wallMs - phase.sinceMs : 0
  const steady = openMs >= STEADY_MS
  const worked = openMs >= TOKEN_WORKED_MS || (steady && at.tokenEnded === true)
  const counted = steady ? { ...clearFailures(state), renewals: worked ? 0 : state.renewals } : state
  const rejections = counted.rejections + (verdict.then === 'reject' ? 1 : 0)
  const gapCause = verdict.then === 'reject' && rejections >= REJECTIONS ? 'refused' : cause
  const [gapped, effects] = openGap(disconnected({ ...counted, rejections }), gapCause, lostFrom(at), state.wanted)
  const all: ConnectionEffect[] = [...effects, { do: 'dropTimers' }, { do: 'problem', why: verdict.why }]
  if (verdict.then === 'renew' && gapped.renewals === 0) {
    all.push({ do: 'renewToken' })
    return [{ ...gapped, renewals: 1, phase: { is: 'connecting', step: 'renew' } }, all]
  }
  if (verdict.then === 'renew') return refuse(gapped, askReason(state.feed, verdict.why), 'token', at, all)
  if (verdict.then === 'refuse' || rejections >= REJECTIONS) {
    return refuse(gapped, verdict.why, cause === 'token' ? 'token' : 'refused', at, all)
  }
  const ms = Math.max(backoffMs(gapped.attempt, at.roll), atLeastMs)
  all.push({ do: 'armTimer', timer: 'retry', ms })
  const waiting: Phase = { is: 'waiting', untilMs: unixMs(at.wallMs + ms), why: verdict.why }
  return [{ ...gapped, attempt: gapped.attempt + 1, phase: waiting }, all]
}

/** Stops until the user retries. The gap gets a different cause from now on. */
function refuse(
  state: ConnectionState,
  why: Reason,
  cause: GapCause,
  at: Moment,
  before: readonly ConnectionEffect[],
): Step {
  const effects: ConnectionEffect[] = [...before]
  const remaining = state.gaps.filter((gap) => gap.cause === cause || gap.cause === 'token')
  for (const gap of state.gaps) {
    if (!remaining.includes(gap)) effects.push({ do: 'gapClose', id: gap.id, toMs: at.wallMs })
  }
  const [gapped, more] = openGap({ ...state, gaps: remaining }, cause, at.wallMs, state.wanted)
  return [{ ...gapped, phase: { is: 'refused', why } }, [...effects, ...more]]
}

function dial(state: ConnectionState): Step {
  const generation = state.generation + 1
  const next: ConnectionState = { ...disconnected(state), generation, phase: { is: 'connecting', step: 'dial' } }
  return [next, [{ do: 'dropTimers' }, { do: 'dial', generation }]]
}

function hangUp(before: ConnectionState, how: 'normal' | 'terminate', [state, effects]: Step): Step {
  return isOccupied(before)
    ? [state, [...effects, { do: 'close', generation: before.generation, how }]]
    : [state, effects]
}

/** Opens a gap for the given symbols that no open gap covers. */
function openGap(state: ConnectionState, cause: GapCause, fromMs: UnixMs, symbols: readonly string[]): Step {
  const covered = state.gaps.flatMap((gap) => gap.symbols)
  const uncovered = without(state.feed, symbols, covered)
  if (uncovered.length === 0) return [state, []]
  const gap: ConnectionGap = { id: state.nextGap, cause, symbols: uncovered, fromMs }
  return [{ ...state, gaps: [...state.gaps, gap], nextGap: state.nextGap + 1 }, [{ do: 'gapOpen', gap }]]
}

/**
 * Ends gaps for symbols that are no longer wanted, which another connection may receive from now on. The others of such a
 * gap have one of their own from now on, which opens first: nobody may take the end for that of their outage.
 */
function closeUnwanted(state: ConnectionState, at: Moment): Step {
  const rests = new Map(state.gaps.map((gap) => [gap, among(state.feed, gap.symbols, state.wanted)]))
  const over = state.gaps.filter((gap) => rests.get(gap)?.length !== gap.symbols.length)
  let next: ConnectionState = { ...state, gaps: state.gaps.filter((gap) => !over.includes(gap)) }
  const effects: ConnectionEffect[] = []
  for (const gap of over) {
    const [gapped, more] = openGap(next, gap.cause, at.wallMs, rests.get(gap) ?? [])
    next = gapped
    effects.push(...more)
  }
  effects.push(...over.map(({ id }): ConnectionEffect => ({ do: 'gapClose', id, toMs: at.wallMs })))
  return over.length === 0 ? [state, []] : [next, effects]
}

function verdictOfToken(failure: Failure): Verdict {
  const passing = failure.code === 'offline' || failure.code === 'timeout' || failure.code === 'tls'
  const why: Reason = { code: failure.code, message: failure.message, hint: failure.hint ?? '', closeCode: null }
  return { then: passing ? 'retry' : 'refuse', why }
}

function causeOf(verdict: Verdict): GapCause {
  if (verdict.then === 'renew') return 'token'
  return verdict.then === 'refuse' ? 'refused' : 'drop'
}

/** Whether the upgrade is complete, so that frames can be sent. */
function hasSocket(state: ConnectionState): boolean {
  const { phase } = state
  return phase.is === 'open' || phase.is === 'stale' || (phase.is === 'connecting' && phase.step === 'acknowledge')
}

/** Whether a socket of this generation exists or is being dialed. */
function isOccupied(state: ConnectionState): boolean {
  return hasSocket(state) || (state.phase.is === 'connecting' && state.phase.step === 'dial')
}

function disconnected(state: ConnectionState): ConnectionState {
  return { ...state, error: null, sent: [], acknowledged: [], pending: 0, outdated: 0 }
}

function clearFailures(state: ConnectionState): ConnectionState {
  return { ...state, attempt: 0, renewals: 0, rejections: 0 }
}

/** The time from which messages may be lost. The wall clock may have been set back since. */
function lostFrom(at: Moment): UnixMs {
  return at.receivedMs === null || at.receivedMs > at.wallMs ? at.wallMs : at.receivedMs
}

function hostOf(origin: string): string {
  return origin.slice(origin.indexOf('//') + 2)
}

/** The symbols whose instrument is not among `others`. */
function without(feed: FeedId, symbols: readonly string[], others: readonly string[]): readonly string[] {
  if (symbols.length === 0 || others.length === 0) return symbols
  const asset = feedAsset(feed)
  const keys = new Set(others.map((symbol) => instrumentKey(asset, symbol)))
  return symbols.filter((symbol) => !keys.has(instrumentKey(asset, symbol)))
}

/** The symbols whose instrument is among `others`. */
function among(feed: FeedId, symbols: readonly string[], others: readonly string[]): readonly string[] {
  const asset = feedAsset(feed)
  const keys = new Set(others.map((symbol) => instrumentKey(asset, symbol)))
  return symbols.filter((symbol) => keys.has(instrumentKey(asset, symbol)))
}
