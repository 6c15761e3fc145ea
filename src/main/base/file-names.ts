/** File names that come from windows. */
import { basename } from 'node:path'

/** Device names of Windows, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
/** Marks that change the direction of text and so disguise a name. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Whether a text is a valid, visible and undisguised file name on every system. */
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
