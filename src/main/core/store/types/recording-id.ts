import { randomBytes } from 'node:crypto'
import { recordingId, type RecordingId } from '../../../../shared/base/units.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** A new identity of a recording: 10 characters of time, 16 of chance; sorts by start. */
export function newRecordingId(startedMs: number): RecordingId {
  let time = Math.max(0, Math.floor(startedMs))
  let text = ''
  for (let i = 0; i < 10; i++) {
    text = ALPHABET[time % 32] + text
    time = Math.floor(time / 32)
  }
  for (const byte of randomBytes(16)) text += ALPHABET[byte % 32]
  return recordingId(text)
}
