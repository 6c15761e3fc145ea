/** Labels of the transport bar: clock, timeline, bookmarks and loops. */
import { labelsOf } from '../../../shared/base/text.ts'

export const replayLabel = labelsOf({
  'replay.unit.message': 'message',
  'replay.unit.second': 'second',
  'replay.unit.bar': 'bar',
  'replay.one-back.message': 'Back one message',
  'replay.one-back.second': 'Back one second',
  'replay.one-back.bar': 'Back one bar',
  'replay.one-forward.message': 'Forward one message',
  'replay.one-forward.second': 'Forward one second',
  'replay.one-forward.bar': 'Forward one bar',
})
