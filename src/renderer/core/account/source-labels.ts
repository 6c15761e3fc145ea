/** Where the prices come from, said so that yesterday, a demo or a dead line is never taken for live. */
import { missingCase } from '../../../shared/base/errors.ts'
import type { FeedState, FeedStatus, StatusState } from '../../../shared/core/status/status.ts'
import { say } from '../../text/catalogue.ts'

export type SourceTone = 'live' | 'demo' | 'busy' | 'bad' | 'replay'
export interface SourcePill {
  readonly label: string
  readonly tone: SourceTone
  readonly sentence: string
}

/** The pill of a window that shows a replay: what else may be true waits for the way back. */
export const REPLAY_PILL: SourcePill = {
  label: say('sourceWords.pill.replay'),
  tone: 'replay',
  sentence: say('sourceWords.replay-nothing-here-market'),
}

/** The pill of the top bar. */
export function sourcePill(status: StatusState | undefined, linkUp: boolean): SourcePill {
  if (!linkUp)
    return { label: say('sourceWords.no-link'), tone: 'bad', sentence: say('sourceWords.window-lost-terminal-every') }
  if (!status)
    return { label: say('sourceWords.pill.starting'), tone: 'busy', sentence: say('sourceWords.waiting-terminal') }
  const wanted = wantedFeeds(status.feeds)
  const open = wanted.filter((feed) => feed.state.is === 'open').length
  const name = status.source === 'demo' ? say('sourceWords.demo-market') : hostOf(status.origin)
  if (wanted.length > 0 && open === 0) {
    const refused = wanted.every((feed) => feed.state.is === 'refused')
    const stale = wanted.some((feed) => feed.state.is === 'stale')
    const connecting = wanted.some((feed) => feed.state.is === 'connecting')
    if (stale)
      return {
        label: say('sourceWords.pill.stale'),
        tone: 'busy',
        sentence: say('sourceWords.connected-but-nothing-arrives', { name }),
      }
    if (connecting && !refused)
      return {
        label: say('sourceWords.pill.connecting'),
        tone: 'busy',
        sentence: say('sourceWords.connecting-no-price-live', { name }),
      }
    return refused
      ? {
          label: say('sourceWords.pill.refused'),
          tone: 'bad',
          sentence: say('sourceWords.refused-every-feed-open', { capital: capital(name) }),
        }
      : {
          label: say('sourceWords.pill.offline'),
          tone: 'bad',
          sentence: say('sourceWords.not-connected-every-price', { name }),
        }
  }
  if (status.source === 'demo')
    return { label: say('sourceWords.pill.demo'), tone: 'demo', sentence: say('sourceWords.demo-market-recorded-made') }
  if (open < wanted.length)
    return {
      label: say('sourceWords.live-feeds', { open: String(open), wanted: String(wanted.length) }),
      tone: 'busy',
      sentence: say('sourceWords.live-from-but-only', { name, open, count: wanted.length }),
    }
  return { label: say('sourceWords.pill.live'), tone: 'live', sentence: say('sourceWords.live-from', { name }) }
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
  if (key === 'demo') return say('sourceWords.demo-market-2')
  const host = hostOf(key.slice(key.lastIndexOf('@') + 1))
  return key.startsWith('import:') ? say('sourceWords.imported', { host }) : host
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
      return say('sourceWords.not-wanted')
    case 'connecting':
      return state.attempt > 1
        ? say('sourceWords.connecting-attempt', { attempt: state.attempt })
        : say('sourceWords.connecting')
    case 'open':
      return say('sourceWords.open')
    case 'stale':
      return say('sourceWords.silent-s', { max: Math.max(0, Math.round((nowMs - state.lastMs) / 1000)) })
    case 'waiting':
      return say('sourceWords.next-try-s', { max: Math.max(0, Math.ceil((state.untilMs - nowMs) / 1000)) })
    case 'refused':
      return say('sourceWords.refused')
    default:
      return missingCase(state)
  }
}
