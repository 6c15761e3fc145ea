/** Fills the metrics from what recorders and terminals say about themselves. */
import type { TeamState } from '../../../../shared/features/team/team.ts'
import type { PublishOptions } from '../../../terminal/host.ts'
import type { PublishStatus } from '../publish/publishing.ts'
import type { TeamMetrics } from './metrics.ts'

/** Sessions in the last report, so that those that are done are forgotten. */
export type ReportedSessions = Set<string>

export function reportRecorder(
  metrics: TeamMetrics,
  { isConnected, shard, progress, lagMs, historyLagMs, heldBytes, inFlightBytes }: PublishStatus,
  { epoch, spoolMaxBytes }: Pick<PublishOptions, 'epoch' | 'spoolMaxBytes'>,
  reported: ReportedSessions,
): void {
  metrics.set('connected', { server: 'nats' }, isConnected ? 1 : 0)
  metrics.set('publish_lag_seconds', { shard }, lagMs / 1_000)
  metrics.set('history_lag_seconds', { shard }, historyLagMs / 1_000)
  metrics.set('in_flight_bytes', { shard }, inFlightBytes)
  metrics.set('spool_bytes', { shard }, heldBytes)
  if (spoolMaxBytes !== null) metrics.set('spool_limit_bytes', { shard }, spoolMaxBytes)
  metrics.set('lease_epoch', { shard }, epoch)
  forgetOthers(metrics, reported, new Set(progress.map(({ session }) => session)))
  for (const { session, committedSeq, publishedSeq, archivedSeq } of progress) {
    metrics.set('stored_seq', { shard, session }, Math.max(committedSeq, publishedSeq))
    metrics.set('published_seq', { shard, session }, publishedSeq)
    metrics.set('committed_seq', { shard, session }, archivedSeq)
  }
}

export function reportTerminal(metrics: TeamMetrics, state: TeamState, reported: ReportedSessions): void {
  metrics.set('connected', { server: 'nats' }, state?.link.is === 'connected' ? 1 : 0)
  metrics.set('copy_lag_seconds', {}, (state?.lagMs ?? 0) / 1_000)
  const sessions = state?.sessions ?? []
  forgetOthers(metrics, reported, new Set(sessions.map(({ session }) => session)))
  for (const { session, shard, seq } of sessions) metrics.set('copied_seq', { shard, session }, seq)
}

function forgetOthers(metrics: TeamMetrics, reported: ReportedSessions, current: ReadonlySet<string>): void {
  for (const session of reported) {
    if (current.has(session)) continue
    metrics.forget('session', session)
    reported.delete(session)
  }
  for (const session of current) reported.add(session)
}
