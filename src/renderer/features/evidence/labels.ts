/** Labels of the evidence views: parts of bars, reasons why two bars differ, and fields of messages. */
import { labelsOf } from '../../../shared/base/text.ts'

export const evidenceLabel = labelsOf({
  'evidence.part.open': 'open',
  'evidence.part.high': 'high',
  'evidence.part.low': 'low',
  'evidence.part.close': 'close',
  'evidence.part.volume': 'volume',
  'why.gap in the ticks': 'It touches a gap, or the start or end of reception.',
  'why.gap in the bars': 'The service’s bars weren’t received at that time.',
  'why.no bar received': 'Ticks arrived, but the service sent no bar.',
  'why.nothing received': 'Neither ticks nor a bar arrived.',
  'why.no tick received': 'The service sent a bar, but no ticks arrived.',
  'why.not over yet': 'The minute isn’t over yet, or its bar may still arrive.',
  'why.numbers differ': 'The values differ.',
})

const FIELDS = {
  open: 'open',
  high: 'high',
  low: 'low',
  close: 'close',
  'left out': 'excluded',
  price: 'price',
  size: 'size',
  bid: 'bid',
  ask: 'ask',
  bidSize: 'bid size',
  askSize: 'ask size',
  volume: 'volume',
  start: 'start',
  end: 'end',
  trade: 'trade',
  quote: 'quote',
  bar: 'bar',
  control: 'control',
  unknown: 'unknown',
} as const
const fieldLabel = labelsOf(FIELDS)
const isField = (name: string): name is keyof typeof FIELDS => Object.hasOwn(FIELDS, name)

/** Display name of a field, part or kind of a decoded message. Unknown names are returned unchanged. */
export const fieldName = (name: string): string => (isField(name) ? fieldLabel(name) : name)
