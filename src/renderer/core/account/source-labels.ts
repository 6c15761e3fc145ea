/** Labels of the price source that never let a replay, the demo or a lost connection look live. */
import { readTeamKey } from '../../../shared/core/recording/session.ts'
import type { FeedState, FeedStatus, StatusState } from '../../../shared/core/status/status.ts'
import { t } from '../../../shared/base/text.ts'

export type SourceTone = 'live' | 'demo' | 'busy' | 'bad' | 'replay'
export interface SourcePill {
  readonly label: string
  readonly tone: SourceTone
  readonly sentence: string
}

/** The pill of a window that shows a replay, whatever the live market's state. */
export const REPLAY_PILL: SourcePill = {
  label: t('REPLAY'),
  tone: 'replay',
  sentence: t('This is a replay. Nothing here is live.'),
}

/** The name of the live source on its own. */
export function sourceTitle({ source, origin }: Pick<StatusState, 'source' | 'origin'>): string {
  return source === 'demo' ? t('Demo market') : source === 'team' ? t('Team {team}', { team: origin }) : hostOf(origin)
}

/** The name of the live source inside a sentence. */
export function liveName({ source, origin }: Pick<StatusState, 'source' | 'origin'>): string {
  return source === 'demo'
    ? t('the demo market')
    : source === 'team'
      ? t('team {team}', { team: origin })
      : hostOf(origin)
}

/** The source pill of the top bar. */
export function sourcePill(status: StatusState | undefined, linkUp: boolean): SourcePill {
  if (!linkUp)
    return {
      label: t('NO LINK'),
      tone: 'bad',
      sentence: t('This window lost its connection to Tapedeck. No prices are live.'),
    }
  if (!status) return { label: t('STARTING'), tone: 'busy', sentence: t('Waiting for Tapedeck.') }
  const isTeam = status.source === 'team'
  const wanted = countedFeeds(status)
  const open = wanted.filter((feed) => feed.state.is === 'open').length
  const name = liveName(status)
  if (isTeam && wanted.length === 0)
    return {
      label: t('NO RECORDER'),
      tone: 'bad',
      sentence: t('No recorder of {name} can be seen. No prices are live.', { name }),
    }
  if (wanted.length > 0 && open === 0) {
    const refused = wanted.every((feed) => feed.state.is === 'refused')
    const stale = wanted.some((feed) => feed.state.is === 'stale')
    const connecting = wanted.some((feed) => feed.state.is === 'connecting')
    if (stale)
      return {
        label: t('STALE'),
        tone: 'busy',
        sentence: t('Connected to {name}, but nothing arrives.', { name }),
      }
    if (connecting && !refused)
      return {
        label: t('CONNECTING'),
        tone: 'busy',
        sentence: t('Connecting to {name}. No prices are live yet.', { name }),
      }
    return refused
      ? {
          label: t('REFUSED'),
          tone: 'bad',
          sentence: t('{capital} refused every feed. Open Health for details.', { capital: capital(name) }),
        }
      : {
          label: t('OFFLINE'),
          tone: 'bad',
          sentence: t('Not connected to {name}. No prices are live.', { name }),
        }
  }
  if (status.source === 'demo')
    return { label: t('DEMO'), tone: 'demo', sentence: t('Demo market: recorded and simulated prices, not live.') }
  if (status.isSimulated)
    return {
      label: t('DEMO'),
      tone: 'demo',
      sentence: t('{capital} records the demo market: its prices are not live.', { capital: capital(name) }),
    }
  if (open < wanted.length)
    return {
      label: t('LIVE {open}/{wanted}', { open: String(open), wanted: String(wanted.length) }),
      tone: 'busy',
      sentence: t('Live from {name}, but only {open} of {count} feeds are open.', { name, open, count: wanted.length }),
    }
  return { label: t('LIVE'), tone: 'live', sentence: t('Live from {name}.', { name }) }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** The host of an origin, or the text itself if it isn't a URL. */
export function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : origin
}

function splitKey(key: string): readonly [user: string, origin: string] {
  const at = key.lastIndexOf('@')
  return [key.slice(key.indexOf(':') + 1, Math.max(0, at)), key.slice(at + 1)]
}

/** Names of sources that tell them apart: where two are the same, with the user, or with the beginning of the file's checksum. */
export function sourceNames(keys: readonly string[]): ReadonlyMap<string, string> {
  const names = keys.map(sourceName)
  return new Map(
    keys.map((key, i) => {
      const name = names[i]
      const [user, origin] = splitKey(key)
      const detail = key.startsWith('import:') ? origin.slice(0, 8) : user
      const isShared = detail !== '' && names.filter((one) => one === name).length > 1
      return [key, isShared ? t('{source} ({detail})', { source: name, detail }) : name]
    }),
  )
}

/** The name of a session's source, from its key ("demo", "service:you@https://…", "team:2@eu"). */
export function sourceName(key: string): string {
  if (key === 'demo') return t('Demo market')
  const team = readTeamKey(key)
  if (team !== null) return team.shard === '*' ? t('Team {team}', team) : t('Team {team}, shard {shard}', team)
  const [user, origin] = splitKey(key)
  if (!key.startsWith('import:')) return hostOf(origin)
  // A file is known by its name; its origin is the beginning of its checksum.
  return t('Imported: {host}', { host: user !== '' && /^[0-9a-f]{16}$/.test(origin) ? user : hostOf(origin) })
}

/** The feeds with subscriptions. */
export function wantedFeeds(feeds: readonly FeedStatus[]): readonly FeedStatus[] {
  return feeds.filter((feed) => feed.state.is !== 'idle' || feed.acknowledged.length > 0 || feed.missing.length > 0)
}

/** The feeds to count. What nobody in a team records isn't down. */
export function countedFeeds({ feeds, source }: Pick<StatusState, 'feeds' | 'source'>): readonly FeedStatus[] {
  return wantedFeeds(feeds).filter((feed) => source !== 'team' || feed.state.is !== 'idle')
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
  }
}

/** The label of a feed state. `nowMs` is on the terminal's wall clock. */
export function feedStateText(state: FeedState, nowMs: number): string {
  switch (state.is) {
    case 'idle':
      return t('Not in use')
    case 'connecting':
      return state.attempt > 1 ? t('Connecting, attempt {attempt}', { attempt: state.attempt }) : t('Connecting')
    case 'open':
      return t('Open')
    case 'stale':
      return t('Silent for {max} s', { max: Math.max(0, Math.round((nowMs - state.lastMs) / 1000)) })
    case 'waiting':
      return t('Retrying in {max} s', { max: Math.max(0, Math.ceil((state.untilMs - nowMs) / 1000)) })
    case 'refused':
      return t('Refused')
  }
}
