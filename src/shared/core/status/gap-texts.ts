/** Labels of the causes of gaps, used everywhere: charts, lists, help, log and alert history. */
import { labelsOf } from '../../base/text.ts'
import type { SpanCause } from './status.ts'

export const gapPhrase = labelsOf({
  'gap.cause.connect': 'not yet connected',
  'gap.cause.drop': 'connection lost',
  'gap.cause.half-open': 'connection silent',
  'gap.cause.refused': 'refused by the service',
  'gap.cause.unacknowledged': 'not subscribed',
  'gap.cause.sleep': 'computer asleep or stalled',
  'gap.cause.clock': 'clock changed',
  'gap.cause.token': 'signed out',
  'gap.cause.disk': 'not stored: store unavailable',
  'gap.cause.overflow': 'not stored: overload',
  'gap.cause.worker': 'not stored: recorder failed',
  'gap.cause.crash': 'recording cut off',
  'gap.cause.quit': 'recording stopped',
  'gap.cause.unreadable': 'stored messages corrupt',
} satisfies Readonly<Record<`gap.cause.${SpanCause}`, string>>)
