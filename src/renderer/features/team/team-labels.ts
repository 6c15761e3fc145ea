/** Labels of a team's state. Pure. */
import { t } from '../../../shared/base/text.ts'
import { DASH } from '../../text/format.ts'
import type { TeamStatus } from '../../../shared/features/team/status.ts'
import type { UnixMs } from '../../../shared/base/units.ts'
import type { FollowedSession, FollowPhase, TeamLink, TeamState } from '../../../shared/features/team/team.ts'

export type TeamTone = 'ok' | 'busy' | 'bad'

/** Sessions of shards that nobody records: their recorders are gone, and none has taken over. */
const orphans = ({ sessions }: NonNullable<TeamState>): readonly FollowedSession[] =>
  sessions.filter(
    ({ shard, goneMs }) => goneMs !== null && !sessions.some((one) => one.shard === shard && one.goneMs === null),
  )

/** The status bar's text, and how urgent it is. `lag`: as shown. `timeOf`: shows a time of day. */
export function teamStatus(
  team: NonNullable<TeamState>,
  lag: string,
  timeOf: (ms: UnixMs) => string,
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
  }
  if (stopped > 0)
    return {
      text: t(
        { one: 'Team {name}: {count} session stopped', other: 'Team {name}: {count} sessions stopped' },
        { name, count: stopped },
      ),
      tone: 'bad',
    }
  const gone = orphans(team).flatMap(({ recorder, goneMs }) => (goneMs === null ? [] : { recorder, goneMs }))
  if (gone.length > 0) {
    const [{ recorder, goneMs }] = gone.toSorted((a, b) => a.goneMs - b.goneMs)
    const parts = { recorder, time: timeOf(goneMs), more: gone.length - 1 }
    return {
      text:
        gone.length === 1
          ? t('Recorder {recorder} gone since {time}', parts)
          : t('Recorder {recorder} gone since {time}, and {more} more', parts),
      tone: 'bad',
    }
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
  }
}

/** The first and last characters of a public key. */
const shortKey = (key: string): string => `${key.slice(0, 6)}…${key.slice(-4)}`

/** Who signed this terminal's copy of a session: a short text, and the details. */
export function signerLabel(
  { signer, seq, isSigning }: Pick<FollowedSession, 'signer' | 'seq' | 'isSigning'>,
  isTrusting: boolean,
): { readonly text: string; readonly detail: string } {
  if (signer === null) {
    if (!isSigning) return { text: seq === 0 ? DASH : t('not signed'), detail: t('Its recorder doesn’t sign.') }
    const detail = t('No signature was seen since this terminal started. Recorders sign about once a minute.')
    return { text: seq === 0 ? DASH : t('not seen yet'), detail }
  }
  const { key, name, signedSeq } = signer
  const parts = { key, seq: String(signedSeq) }
  if (isTrusting) return { text: name ?? shortKey(key), detail: t('Signed up to seq {seq} with {key}.', parts) }
  return {
    text: shortKey(key),
    detail: t(
      'Signed up to seq {seq} with {key}. To follow only your recorders, enter their keys under Settings → Team.',
      parts,
    ),
  }
}

/** The connection in a word or two, and the whole of it. */
export function linkLabel(link: TeamLink): { readonly text: string; readonly detail: string } {
  switch (link.is) {
    case 'connecting':
      return { text: t('Connecting…'), detail: '' }
    case 'connected':
      return { text: t('Connected'), detail: link.server }
    case 'lost':
    case 'failed':
      return { text: t('Not connected'), detail: link.why.message }
  }
}

/** "2 shards, 2 recorders, 1 in standby". Recorders that are gone don't count. */
export function membersText({ shards, standby }: TeamStatus, followed: readonly FollowedSession[]): string {
  const gone = new Set(followed.filter(({ goneMs }) => goneMs !== null).map(({ session }) => session))
  const recorders = new Set(
    shards.flatMap((shard) => [
      ...shard.sessions.filter((one) => one.endedMs === null && !gone.has(one.session)).map(({ recorder }) => recorder),
      ...shard.recorders.map(({ name }) => name),
    ]),
  ).size
  return [
    t({ one: '{count} shard', other: '{count} shards' }, { count: shards.length }),
    t({ one: '{count} recorder', other: '{count} recorders' }, { count: recorders }),
    ...(standby.length === 0 ? [] : [t('{count} in standby', { count: standby.length })]),
  ].join(', ')
}
