/** Names of files that windows give. */
import { basename } from 'node:path'

/** Whether a text is a file's name on every system: no path, nothing hidden. */
export function isFileName(name: string): boolean {
  return (
    name === basename(name) &&
    !/[\\/:*?"<>|\p{Cc}]/u.test(name) &&
    !/^\.|[. ]$/.test(name) &&
    name.trim() !== '' &&
    Buffer.byteLength(name) <= 200
  )
}
