/** How the causes of a gap are called, everywhere: on charts, in lists, in the help, the log and the history of alerts. */
import { phrasesOf } from '../../base/text.ts'
import type { SpanCause } from './status.ts'

export const GAP_TEXTS = {
  'gap.cause.connect': 'not yet connected',
  'gap.cause.drop': 'connection lost',
  'gap.cause.half-open': 'connection silent',
  'gap.cause.refused': 'refused by the service',
  'gap.cause.unacknowledged': 'not subscribed',
  'gap.cause.sleep': 'computer asleep',
  'gap.cause.clock': 'clock changed',
  'gap.cause.token': 'signed out',
  'gap.cause.disk': 'not stored: disk problem',
  'gap.cause.overflow': 'not stored: overload',
  'gap.cause.worker': 'not stored: recorder failed',
  'gap.cause.crash': 'Tapedeck crashed',
  'gap.cause.quit': 'recording stopped',
  'gap.cause.unreadable': 'stored messages corrupt',
} as const satisfies Readonly<Record<`gap.cause.${SpanCause}`, string>>

export const gapPhrase = phrasesOf(GAP_TEXTS)
