/** The text of a stored message, and of the values decoded from it. */
import type { EvidenceMessage } from '../../../shared/features/evidence/evidence.ts'
import { timeText } from '../../text/zone-time.ts'

/** The message as received; in base64 if it isn't UTF-8. */
export const rawText = (message: EvidenceMessage): string => message.raw ?? message.rawBase64 ?? ''

/** A decoded value; as a time in `zone` if its part is one. */
export const valueText = (part: string, value: number, zone: string): string =>
  part.endsWith('Ms') ? timeText(value, zone, 'millis') : String(value)
