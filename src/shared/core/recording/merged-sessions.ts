/**
 * The one view of sessions that recorded the same shard at the same time (decision 61). Each message that several of
 * them received counts in one of them: the session of the latest lease that was receiving at the message's event time.
 * So a gap of one session is filled by another, and nothing is compared by content. All times here are by the
 * service's clock, UTC ms, because the clocks of two recorders can differ.
 */
import { firstAfter } from '../../base/search.ts'
import { commonSpans, withoutSpans, type Span } from '../../base/spans.ts'
import type { FeedId, InstrumentId, SessionId } from '../../base/units.ts'

/** When a session received an instrument of a feed. */
export interface Reception {
  /** By event time: nothing dated in these spans was missed. Ordered. */
  readonly covered: readonly Span[]
  /** By receive time: the instrument was subscribed, and the connection not known to be lost. Ordered. */
  readonly connected: readonly Span[]
  /** From the session's start to its end. */
  readonly running: Span
}

/** A span of event time and the session whose messages count in it. */
export interface OwnedSpan extends Span {
  /** Index of the session. */
  readonly owner: number
  /** Whether the owner covers it. If not, no session does. */
  readonly isCovered: boolean
  /** Index of the last session that had begun to receive; 0 if none had. */
  readonly latest: number
  /** Every session, the owner first. The next one counts for what arrived while those before it weren't connected. */
  readonly order: readonly number[]
}

/** Messages of a session that another one has, too, and that count there. */
export interface LeftOut extends Span {
  /** Messages dated in [fromMs, toMs) count elsewhere if they arrived in one of these spans. */
  readonly arrived: readonly Span[]
}

/** Which messages of a session count in a view of several. */
export interface Share {
  /** Service clock minus the session's clock, ms, from a seq on. Ascending, the first one from 0. */
  readonly clock: readonly { readonly fromSeq: number; readonly skewMs: number }[]
  /** Ordered, without overlap. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * Times are derived from the clocks of different computers, and the network delays messages. So a session counts as
 * covering only what is this far inside its spans, ms.
 */
export const EDGE_MS = 1_000

/** The shares of a session, by feed. Without feeds, everything counts. */
export interface SessionShares {
  readonly session: SessionId
  readonly clock: Share['clock']
  readonly feeds: ReadonlyMap<FeedId, FeedShares>
}

export interface FeedShares {
  /** Of messages without an instrument, and of instruments that aren't in `instruments`. */
  readonly share: Share
  readonly instruments: ReadonlyMap<InstrumentId, Share>
}

/** Everything counts. */
export const WHOLE: Share = { clock: [{ fromSeq: 0, skewMs: 0 }], leftOut: [] }

/** A share without what was received before an instant of the session's own clock, UTC ms. */
export const shareSince = (notBeforeMs: number): Share =>
  notBeforeMs === -Infinity
    ? WHOLE
    : {
        clock: WHOLE.clock,
        leftOut: [{ ...ALL_TIME, arrived: [{ fromMs: -Infinity, toMs: notBeforeMs }] }],
      }

const ALL_TIME: Span = { fromMs: -Infinity, toMs: Infinity }

/** Whether nothing of a session is left out. */
export const isWhole = ({ leftOut }: Share): boolean => leftOut.length === 0

/** Service clock minus the session's clock at a seq, ms. */
export function skewAt({ clock }: Pick<Share, 'clock'>, seq: number): number {
  let i = clock.length - 1
  while (i > 0 && clock[i].fromSeq > seq) i--
  return clock[i].skewMs
}

/** Whether a message counts. `eventMs` is NaN if it is undated; `recvMs` is by the session's clock, UTC ms. */
export function isCounted(share: Share, seq: number, eventMs: number, recvMs: number): boolean {
  const { leftOut } = share
  if (leftOut.length === 0) return true
  const arrivedMs = recvMs + skewAt(share, seq)
  const span = spanAt(leftOut, Number.isNaN(eventMs) ? arrivedMs : eventMs)
  return span === undefined || spanAt(span.arrived, arrivedMs) === undefined
}

/** Whether messages dated in [fromMs, toMs), or received then and undated, can be left out. */
export function isCut({ leftOut, clock }: Share, fromMs: number, toMs: number): boolean {
  if (leftOut.length === 0) return false
  const slackMs = Math.max(...clock.map(({ skewMs }) => Math.abs(skewMs)))
  const at = firstEndingAfter(leftOut, fromMs - slackMs)
  return at < leftOut.length && leftOut[at].fromMs < toMs + slackMs
}

/** Nothing that the session received before this instant counts, UTC ms. -Infinity: it isn't that simple. */
export function countsFrom({ leftOut }: Share): number {
  const [only] = leftOut
  return leftOut.length === 1 &&
    only.fromMs === -Infinity &&
    only.toMs === Infinity &&
    only.arrived[0].fromMs === -Infinity
    ? only.arrived[0].toMs
    : -Infinity
}

/**
 * Divides time among sessions, given in the order of their leases: each instant belongs to the last session that
 * covers it. Where none does, clocks and delays could put a message on either side of the edge of a session, so an instant
 * belongs to the session whose edges are furthest away, or else to the last one that had begun to receive by then.
 */
export function divideTime(sessions: readonly Pick<Reception, 'covered'>[]): readonly OwnedSpan[] {
  const certain = sessions.map(({ covered }) =>
    covered
      .map(({ fromMs, toMs }) => ({ fromMs: fromMs + EDGE_MS, toMs: toMs - EDGE_MS }))
      .filter(({ fromMs, toMs }) => fromMs < toMs),
  )
  const starts = sessions.map(({ covered }) => covered[0]?.fromMs ?? Infinity)
  const edges = edgesOf(sessions.map(({ covered }) => covered))
  const instants = [-Infinity, ...edgesOf(certain), ...edges, ...middlesOf(edges), Infinity]
  const ordered = [...new Set(instants)].sort((a, b) => a - b)
  const owned: OwnedSpan[] = []
  for (let i = 1; i < ordered.length; i++) {
    const [fromMs, toMs] = [ordered[i - 1], ordered[i]]
    const rank = (one: number): number =>
      spanAt(certain[one], fromMs) !== undefined ? 2 : starts[one] <= fromMs ? 1 : 0
    const isCovered = sessions.some((_, one) => rank(one) === 2)
    const depth = (one: number): number => (isCovered ? 0 : depthAt(sessions[one].covered, (fromMs + toMs) / 2))
    // Of those that hadn't begun, the one with the earliest lease.
    const later = (a: number, b: number): number => (rank(a) === 0 ? a - b : b - a)
    const order = sessions.map((_, one) => one).sort((a, b) => rank(b) - rank(a) || depth(b) - depth(a) || later(a, b))
    const latest = Math.max(
      0,
      starts.findLastIndex((start) => start <= fromMs),
    )
    const last = owned.at(-1)
    const isSame =
      last?.isCovered === isCovered && last.latest === latest && last.order.every((one, at) => one === order[at])
    if (isSame) owned[owned.length - 1] = { ...last, toMs }
    else owned.push({ fromMs, toMs, owner: order[0], isCovered, latest, order })
  }
  return owned
}

const edgesOf = (spans: readonly (readonly Span[])[]): number[] =>
  spans.flat().flatMap(({ fromMs, toMs }) => [fromMs, toMs])

/** Where another edge becomes the nearest one: in the middle of two, if they are so close that no session may cover it. */
function middlesOf(edges: readonly number[]): number[] {
  const ordered = edges.filter(Number.isFinite).sort((a, b) => a - b)
  const middles: number[] = []
  for (const [i, fromMs] of ordered.entries())
    for (let k = i + 1; k < ordered.length && ordered[k] - fromMs <= 2 * EDGE_MS; k++)
      middles.push((fromMs + ordered[k]) / 2)
  return middles
}

/** How far an instant is inside a span, ms; 0 if it is in none. */
function depthAt(spans: readonly Span[], ms: number): number {
  const span = spanAt(spans, ms)
  return span === undefined ? 0 : Math.min(ms - span.fromMs, span.toMs - ms)
}

/**
 * What each session leaves out, given in the order of their leases. A message is left out where a session before its
 * own, in the order for its event time, was connected when it arrived.
 */
export function leaveOut(sessions: readonly Reception[]): readonly (readonly LeftOut[])[] {
  const owned = divideTime(sessions)
  return sessions.map(({ running }, self) => {
    // Its last message can have the time of its end.
    const life = { fromMs: running.fromMs - EDGE_MS, toMs: running.toMs + EDGE_MS }
    const found: LeftOut[] = []
    for (const { fromMs, toMs, order } of owned) {
      const before = order.slice(0, order.indexOf(self))
      const arrived = commonSpans(
        before.flatMap((one) => sessions[one].connected),
        [life],
      )
      const last = found.at(-1)
      if (arrived.length === 0) continue
      if (last?.toMs === fromMs && isSameSpans(last.arrived, arrived)) found[found.length - 1] = { ...last, toMs }
      else found.push({ fromMs, toMs, arrived })
    }
    return found
  })
}

const isSameSpans = (a: readonly Span[], b: readonly Span[]): boolean =>
  a.length === b.length && a.every(({ fromMs, toMs }, i) => fromMs === b[i].fromMs && toMs === b[i].toMs)

/**
 * The time for which messages may be missing: no session covers it, and the latest one missed it. Near the edges of
 * sessions, the one that owns an instant may not have received everything.
 */
export function uncovered(sessions: readonly Pick<Reception, 'covered'>[]): readonly Span[] {
  const unsure = divideTime(sessions).filter(({ isCovered }) => !isCovered)
  return unsure.flatMap((span) => withoutSpans([span], sessions[span.latest].covered))
}

const firstEndingAfter = (spans: readonly Span[], ms: number): number => firstAfter(spans, ({ toMs }) => toMs <= ms)

function spanAt<T extends Span>(spans: readonly T[], ms: number): T | undefined {
  const at = firstEndingAfter(spans, ms)
  return at < spans.length && spans[at].fromMs <= ms ? spans[at] : undefined
}
