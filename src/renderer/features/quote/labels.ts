/** Labels of the quote pane. */
import { labelsOf } from '../../../shared/base/text.ts'

export const quoteLabel = labelsOf({
  'quote.range.open': 'Day range',
  'quote.low.open': 'Day low',
  'quote.high.open': 'Day high',
  'quote.range-name.open': 'day range',
  'quote.volume.open': 'Volume (day)',
  'quote.range.pre': 'Pre-market range',
  'quote.low.pre': 'Pre-market low',
  'quote.high.pre': 'Pre-market high',
  'quote.range-name.pre': 'pre-market range',
  'quote.volume.pre': 'Volume (pre-market)',
  'quote.range.post': 'After-hours range',
  'quote.low.post': 'After-hours low',
  'quote.high.post': 'After-hours high',
  'quote.range-name.post': 'after-hours range',
  'quote.volume.post': 'Volume (after-hours)',
  'quote.range.closed': 'Off-hours range',
  'quote.low.closed': 'Off-hours low',
  'quote.high.closed': 'Off-hours high',
  'quote.range-name.closed': 'off-hours range',
  'quote.volume.closed': 'Volume (off-hours)',
  'quote.against.previous close': 'vs. previous close {reference}',
  'quote.against.session open': 'vs. session open {reference}',
  'quote.against.first print': 'vs. first trade {reference}',
  'quote.against.mid': 'vs. first mid {reference}',
})
