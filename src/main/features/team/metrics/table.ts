/** The metrics of a team's processes: the list that `--metrics` and the guide are made from. */
import type { MetricTable } from '../../../command-line/metrics/metrics.ts'

/** Each name gets the prefix `tapedeck_team_`. Gauges in seconds or bytes say so at the end of their name. */
export const TEAM_METRICS = {
  connected: {
    type: 'gauge',
    labels: ['server'],
    help: '1 while connected to this server (nats or postgresql), else 0',
  },
  stored_seq: { type: 'gauge', labels: ['shard', 'session'], help: 'Last seq in the recorder’s own store' },
  published_seq: { type: 'gauge', labels: ['shard', 'session'], help: 'Last seq in the team’s log on NATS' },
  committed_seq: { type: 'gauge', labels: ['shard', 'session'], help: 'Last seq committed to the team’s history' },
  publish_lag_seconds: {
    type: 'gauge',
    labels: ['shard'],
    help: 'Age of the oldest message that is stored locally and isn’t in the team’s log',
  },
  history_lag_seconds: {
    type: 'gauge',
    labels: ['shard'],
    help: 'Age of the oldest message that the history doesn’t have; from a recorder, known every 5 s',
  },
  spool_bytes: {
    type: 'gauge',
    labels: ['shard'],
    help: 'Bytes that the recorder must not remove, because the history hasn’t committed them',
  },
  spool_limit_bytes: { type: 'gauge', labels: ['shard'], help: 'Limit of the spool, as set with --spool-max' },
  in_flight_bytes: {
    type: 'gauge',
    labels: ['shard'],
    help: 'Bytes that the recorder has sent and NATS hasn’t acknowledged',
  },
  copied_seq: { type: 'gauge', labels: ['shard', 'session'], help: 'Last seq of a terminal’s copy' },
  copy_lag_seconds: { type: 'gauge', labels: [], help: 'How far the slowest live session of a terminal is behind' },
  frames_total: { type: 'counter', labels: ['shard'], help: 'Frames stored in the history by this process' },
  bytes_total: { type: 'counter', labels: ['shard'], help: 'Bytes of these frames on the wire' },
  missing_frames_total: {
    type: 'counter',
    labels: ['shard'],
    help: 'Times that frames were missing and had to be fetched',
  },
  chain_failures_total: {
    type: 'counter',
    labels: ['shard'],
    help: 'Frames that were refused because their hash chain or signature doesn’t match',
  },
  quarantined_frames: {
    type: 'gauge',
    labels: ['shard'],
    help: 'Frames in the history’s quarantine, including those of earlier runs',
  },
  lease_epoch: { type: 'gauge', labels: ['shard'], help: 'Epoch of the lease that this recorder holds, 0 without one' },
  lease_age_seconds: {
    type: 'gauge',
    labels: ['shard'],
    help: 'Time since this process last saw the lease of the shard renewed',
  },
} as const satisfies MetricTable
