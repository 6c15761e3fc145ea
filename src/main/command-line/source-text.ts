/** Names the source of a command's market data, so that nobody mistakes the demo for a real market. */
import { readTeamKey } from '../../shared/core/recording/session.ts'
import type { StatusState } from '../../shared/core/status/status.ts'

/** "the demo market", "team eu", or the origin of the service. */
export function sourceText({ source, origin }: Pick<StatusState, 'source' | 'origin'>): string {
  return source === 'demo' ? 'the demo market' : source === 'team' ? `team ${origin}` : origin
}

/** The same of a session's source key. */
export function sourceKeyText(key: string): string {
  if (key === 'demo') return 'the demo market'
  const team = readTeamKey(key)
  return team === null ? key.slice(key.lastIndexOf('@') + 1) : `team ${team.team}`
}
