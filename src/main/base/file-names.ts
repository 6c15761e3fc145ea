/** Validates file names that windows send. */
import { basename } from 'node:path'

/** Reserved device names on Windows, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
/** Characters that change the text direction and can disguise a name. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Whether a text is a valid file name on every system, without invisible or misleading characters. */
export function isFileName(name: string): boolean {
  return (
    name === basename(name) &&
    !/[\\/:*?"<>|\p{Cc}]/u.test(name) &&
    !/^\.|[. ]$/.test(name) &&
    !DEVICES.test(name) &&
    !DIRECTION_MARKS.test(name) &&
    name.trim() !== '' &&
    Buffer.byteLength(name) <= 200
  )
}
