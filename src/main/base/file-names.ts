/** Names of files that windows give. */
import { basename } from 'node:path'

/** Devices of Windows, whatever ending they are given. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
/** Marks that turn the direction of text: a name with them is not what it looks like. */
const TURNS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Whether a text is a file's name on every system: no path, nothing hidden, nothing in disguise. */
export function isFileName(name: string): boolean {
  return (
    name === basename(name) &&
    !/[\\/:*?"<>|\p{Cc}]/u.test(name) &&
    !/^\.|[. ]$/.test(name) &&
    !DEVICES.test(name) &&
    !TURNS.test(name) &&
    name.trim() !== '' &&
    Buffer.byteLength(name) <= 200
  )
}
