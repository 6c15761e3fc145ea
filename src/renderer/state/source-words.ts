/** Where the prices come from, said so that yesterday, a demo or a dead line is never taken for live. */
import { missingCase } from '../../shared/errors.ts'
import type { FeedState, FeedStatus, StatusState } from '../../shared/state.ts'

export type SourceTone = 'live' | 'demo' | 'busy' | 'bad' | 'replay'
export interface SourcePill {
  readonly label: string
  readonly tone: SourceTone
  readonly sentence: string
}

/** The pill of a window that shows a replay: what else may be true waits for the way back. */
export const REPLAY_PILL: SourcePill = {
  label: 'REPLAY',
  tone: 'replay',
  sentence: 'This is a replay: nothing here is the market now.',
}

/** The pill of the top bar. */
export function sourcePill(status: StatusState | undefined, linkUp: boolean): SourcePill {
  if (!linkUp)
    return { label: 'NO LINK', tone: 'bad', sentence: 'This window lost its terminal; every price on it is old.' }
  if (!status) return { label: 'STARTING', tone: 'busy', sentence: 'Waiting for the terminal.' }
  const wanted = wantedFeeds(status.feeds)
  const open = wanted.filter((feed) => feed.state.is === 'open').length
  const name = status.source === 'demo' ? 'the demo market' : hostOf(status.origin)
  if (wanted.length > 0 && open === 0) {
    const refused = wanted.every((feed) => feed.state.is === 'refused')
    const stale = wanted.some((feed) => feed.state.is === 'stale')
    const connecting = wanted.some((feed) => feed.state.is === 'connecting')
    if (stale) return { label: 'STALE', tone: 'busy', sentence: `Connected to ${name}, but nothing arrives.` }
    if (connecting && !refused)
      return { label: 'CONNECTING', tone: 'busy', sentence: `Connecting to ${name}; no price is live yet.` }
    return refused
      ? { label: 'REFUSED', tone: 'bad', sentence: `${capital(name)} refused every feed; open Feeds to see why.` }
      : { label: 'OFFLINE', tone: 'bad', sentence: `Not connected to ${name}; every price is old.` }
  }
  if (status.source === 'demo')
    return { label: 'DEMO', tone: 'demo', sentence: 'Demo market: recorded and made-up prices, not the market now.' }
  if (open < wanted.length)
    return {
      label: `LIVE ${open}/${wanted.length}`,
      tone: 'busy',
      sentence: `Live from ${name}, but only ${open} of ${wanted.length} feeds are open.`,
    }
  return { label: 'LIVE', tone: 'live', sentence: `Live from ${name}.` }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** The host of an origin, or the text itself. */
export function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : origin
}

/** What a recording is of, from its source's key ("demo", "service:you@https://…"). */
export function sourceName(key: string): string {
  if (key === 'demo') return 'Demo market'
  const host = hostOf(key.slice(key.lastIndexOf('@') + 1))
  return key.startsWith('import:') ? `Imported: ${host}` : host
}

/** Feeds that something asked for. */
export function wantedFeeds(feeds: readonly FeedStatus[]): readonly FeedStatus[] {
  return feeds.filter((feed) => feed.state.is !== 'idle' || feed.acknowledged.length > 0 || feed.missing.length > 0)
}

export type FeedTone = 'ok' | 'busy' | 'stale' | 'bad' | 'off'

export function feedTone(state: FeedState): FeedTone {
  switch (state.is) {
    case 'idle':
      return 'off'
    case 'connecting':
    case 'waiting':
      return 'busy'
    case 'open':
      return 'ok'
    case 'stale':
      return 'stale'
    case 'refused':
      return 'bad'
    default:
      return missingCase(state)
  }
}

/** The state in words. `nowMs` is on the terminal's wall clock. */
export function feedWords(state: FeedState, nowMs: number): string {
  switch (state.is) {
    case 'idle':
      return 'Not wanted'
    case 'connecting':
      return state.attempt > 1 ? `Connecting, attempt ${state.attempt}` : 'Connecting'
    case 'open':
      return 'Open'
    case 'stale':
      return `Silent for ${Math.max(0, Math.round((nowMs - state.lastMs) / 1000))} s`
    case 'waiting':
      return `Next try in ${Math.max(0, Math.ceil((state.untilMs - nowMs) / 1000))} s`
    case 'refused':
      return 'Refused'
    default:
      return missingCase(state)
  }
}
