/** Labels of a team's state. Pure. */
import { missingCase } from '../../../shared/base/errors.ts'
import { t } from '../../../shared/base/text.ts'
import type { FollowPhase, TeamState } from '../../../shared/features/team/team.ts'

export type TeamTone = 'ok' | 'busy' | 'bad'

/** The status bar's text, and how urgent it is. `lag`: as shown. */
export function teamStatus(
  team: NonNullable<TeamState>,
  lag: string,
): { readonly text: string; readonly tone: TeamTone } {
  const { name, link, sessions, problem } = team
  const stopped = sessions.filter(({ phase }) => phase === 'stopped').length
  switch (link.is) {
    case 'connecting':
      return { text: t('Connecting to team {name}', { name }), tone: 'busy' }
    case 'lost':
      return { text: t('Upstream lost: prices are aging'), tone: 'bad' }
    case 'failed':
      return { text: t('Not connected to team {name}', { name }), tone: 'bad' }
    case 'connected':
      break
    default:
      return missingCase(link)
  }
  if (stopped > 0)
    return {
      text: t(
        { one: 'Team {name}: {count} session stopped', other: 'Team {name}: {count} sessions stopped' },
        { name, count: stopped },
      ),
      tone: 'bad',
    }
  if (problem !== null) return { text: t('Team {name}: sessions unknown', { name }), tone: 'bad' }
  if (sessions.some(({ phase }) => phase === 'catching up' || phase === 'opening'))
    return { text: t('Team {name}: catching up', { name }), tone: 'busy' }
  if (sessions.some(({ phase }) => phase === 'waiting'))
    return { text: t('Team {name}: waiting', { name }), tone: 'busy' }
  if (team.lagMs === null) return { text: t('Team {name}: nothing is recorded', { name }), tone: 'busy' }
  return { text: t('Team {name}, {lag} behind', { name, lag }), tone: 'ok' }
}

export function phaseLabel(phase: FollowPhase): string {
  switch (phase) {
    case 'opening':
      return t('opening')
    case 'catching up':
      return t('catching up')
    case 'live':
      return t('live')
    case 'lost':
      return t('lost')
    case 'waiting':
      return t('waiting')
    case 'ending':
      return t('ending')
    case 'stopped':
      return t('stopped')
    default:
      return missingCase(phase)
  }
}
