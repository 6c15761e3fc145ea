/** What drawings are called, and what is said while they are drawn, in English: sentences whole. */
import { labelsOf } from '../../base/text.ts'
import type { Drawing } from './types.ts'

export const drawingPhrase = labelsOf({
  'drawing.trend': 'Trend line',
  'drawing.ray': 'Ray',
  'drawing.extended': 'Extended line',
  'drawing.horizontal': 'Horizontal line',
  'drawing.vertical': 'Vertical line',
  'drawing.channel': 'Channel',
  'drawing.regression': 'Regression channel',
  'drawing.pitchfork': 'Andrews’ pitchfork',
  'drawing.rectangle': 'Rectangle',
  'drawing.fib': 'Fibonacci retracement',
  'drawing.fib-extension': 'Fibonacci extension',
  'drawing.text': 'Text',
  'drawing.note': 'Note',
  'drawing.arrow': 'Arrow',
  'drawing.brush': 'Brush',
  'drawing.long': 'Long position',
  'drawing.short': 'Short position',
  'drawing.measure': 'Measure',
  'drawings.target': 'Target {price}  {percent}',
  'drawings.stop': 'Stop {price}  {percent}',
  'drawings.long-entry': 'Long {price}  {ratio}',
  'drawings.short-entry': 'Short {price}  {ratio}',
})

/** The text the user gave a drawing, or the name of its kind. */
export const drawingName = ({ text, kind }: Drawing): string => text || drawingPhrase(`drawing.${kind}`)
