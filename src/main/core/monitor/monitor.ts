/** What a recorder or terminal reports to monitoring: metrics for Prometheus, and its health. */
import type { FeedId, UnixMs } from '../../../shared/base/units.ts'
import type { StatusState } from '../../../shared/core/status/status.ts'
import { createMetrics, type Metrics } from '../../command-line/metrics/metrics.ts'
import type { Monitored } from '../../command-line/metrics/serve.ts'
import { checkHealth, IDLE, STANDBY } from './health.ts'
import { PROCESS_METRICS } from './table.ts'

export interface MonitorOptions {
  readonly version: string
  /** Start of the process, UTC ms. */
  readonly startedMs: UnixMs
  /** Whether the process may wait until it is needed, which is healthy. */
  readonly standsBy: boolean
  /** Metrics of something else in this process, after these. */
  readonly more?: (() => string) | undefined
}

export interface Monitor extends Monitored {
  /**
   * Reports what `read` returns, until undone. `wanted`: the feeds that should be open; null: those that have
   * connections. Without any, the process reports that it is in standby, or not recording.
   */
  watch(read: () => StatusState, wanted: () => readonly FeedId[] | null): () => void
}

export function createMonitor({ version, startedMs, standsBy, more = () => '' }: MonitorOptions): Monitor {
  const metrics = createMetrics(PROCESS_METRICS, 'tapedeck_', {})
  let watched: { readonly read: () => StatusState; readonly wanted: () => readonly FeedId[] | null } | null = null
  return {
    watch(read, wanted) {
      const mine = { read, wanted }
      watched = mine
      return () => {
        if (watched === mine) watched = null
      }
    },
    metrics() {
      metrics.clear()
      metrics.set('start_time_seconds', {}, startedMs / 1_000)
      const status = watched?.read()
      metrics.set('build_info', { version, source: status === undefined ? '' : status.source }, 1)
      metrics.set('recording', {}, status?.recorder.is === 'recording' ? 1 : 0)
      if (status !== undefined) report(metrics, status)
      return metrics.text() + more()
    },
    health: () => (watched === null ? (standsBy ? STANDBY : IDLE) : checkHealth(watched.read(), watched.wanted())),
  }
}

function report(metrics: Metrics<typeof PROCESS_METRICS>, status: StatusState): void {
  for (const { feed, state, acknowledged, missing, received, undecodable, lastMessageMs } of status.feeds) {
    if (state.is === 'idle' && received === 0) continue
    metrics.set('feed_open', { feed }, state.is === 'open' || state.is === 'stale' ? 1 : 0)
    metrics.set('feed_symbols', { feed }, acknowledged.length)
    metrics.set('feed_missing_symbols', { feed }, missing.length)
    metrics.set('feed_received_total', { feed }, received)
    metrics.set('feed_undecodable_total', { feed }, undecodable)
    if (lastMessageMs !== null) metrics.set('feed_last_message_time_seconds', { feed }, lastMessageMs / 1_000)
  }
  const { recorder, receiveToStored, store } = status
  metrics.set('received_total', {}, status.received)
  metrics.set('stored_total', {}, status.stored)
  metrics.set('lost', {}, recorder.is === 'broken' || recorder.is === 'paused' ? recorder.lost : 0)
  metrics.set('gaps_today', {}, status.gapsToday)
  if (receiveToStored !== null) {
    metrics.set('stored_delay_seconds', { quantile: '0.5' }, receiveToStored.p50 / 1_000)
    metrics.set('stored_delay_seconds', { quantile: '0.99' }, receiveToStored.p99 / 1_000)
    metrics.set('stored_delay_seconds', { quantile: '1' }, receiveToStored.max / 1_000)
  }
  metrics.set('backlog_bytes', {}, status.backlogBytes)
  metrics.set('store_bytes', {}, store.bytes)
  // 0: not known yet, or the file system doesn't report it.
  if (store.freeBytes > 0) metrics.set('store_free_bytes', {}, store.freeBytes)
}
