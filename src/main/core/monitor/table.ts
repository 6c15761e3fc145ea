/** The metrics of every recorder and terminal: the list that `--metrics` and the guide are made from. */
import type { MetricTable } from '../../command-line/metrics/metrics.ts'

/** Each name gets the prefix `tapedeck_`. Counters count from the start of the process. */
export const PROCESS_METRICS = {
  build_info: { type: 'gauge', labels: ['version', 'source'], help: '1; its labels name the version and the source' },
  start_time_seconds: { type: 'gauge', labels: [], help: 'When this process started, Unix time' },
  recording: { type: 'gauge', labels: [], help: '1 while messages are recorded, else 0' },
  feed_open: { type: 'gauge', labels: ['feed'], help: '1 while the feed is connected, else 0' },
  feed_symbols: { type: 'gauge', labels: ['feed'], help: 'Symbols that the service has confirmed' },
  feed_missing_symbols: { type: 'gauge', labels: ['feed'], help: 'Symbols that the service hasn’t confirmed' },
  feed_received_total: { type: 'counter', labels: ['feed'], help: 'Messages received' },
  feed_undecodable_total: { type: 'counter', labels: ['feed'], help: 'Messages received that can’t be decoded' },
  feed_last_message_time_seconds: {
    type: 'gauge',
    labels: ['feed'],
    help: 'When the last message was received, Unix time',
  },
  received_total: { type: 'counter', labels: [], help: 'Messages received while recording' },
  stored_total: { type: 'counter', labels: [], help: 'Messages that are on the disk' },
  lost: { type: 'gauge', labels: [], help: 'Messages lost while recording is interrupted; marked as a gap' },
  gaps_today: { type: 'gauge', labels: [], help: 'Gaps since 00:00 UTC' },
  stored_delay_seconds: {
    type: 'gauge',
    labels: ['quantile'],
    help: 'Time from receiving a message until it is on the disk',
  },
  backlog_bytes: { type: 'gauge', labels: [], help: 'Bytes of messages that aren’t on the disk yet' },
  store_bytes: { type: 'gauge', labels: [], help: 'Size of the store' },
  store_free_bytes: { type: 'gauge', labels: [], help: 'Free space where the store is' },
} as const satisfies MetricTable
