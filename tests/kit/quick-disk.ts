/** Where the folders of tests are. */
import { realpathSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** The least room that a file system in memory must have to be used, bytes. */
const ROOM = 2 * 2 ** 30

function hasRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize >= ROOM
  } catch {
    return false
  }
}

/** In memory where the system has room there, because a store waits for its disk at every commit. */
export const FOLDERS = hasRoom('/dev/shm') ? '/dev/shm' : realpathSync(tmpdir())
