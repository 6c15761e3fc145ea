/** A process that restores a backup and kills itself before one of its steps: BACKUP STORE HOME STEP. Prints nothing. */
import { systemDisk, type Disk } from '../../../../../src/main/features/backup/disk.ts'
import { restoreBackup } from '../../../../../src/main/features/backup/restore.ts'
import { lockStore } from '../../../../../src/main/core/store/schema/lock.ts'

const [from = '', store = '', dataDir = '', step = '0'] = process.argv.slice(2)
let steps = 0
const dying = <A extends unknown[], R>(run: (...args: A) => R) => {
  return (...args: A): R => {
    if (++steps === Number(step)) process.kill(process.pid, 'SIGKILL')
    return run(...args)
  }
}
const { makeFolder, copy, write, rename, move, remove, syncFolder } = systemDisk
const disk: Disk = {
  makeFolder: dying(makeFolder),
  copy: dying(copy),
  write: dying(write),
  rename: dying(rename),
  move: dying(move),
  remove: dying(remove),
  syncFolder: dying(syncFolder),
}
await restoreBackup({ from, store, dataDir, storePath: store, nowMs: Date.now(), lock: lockStore, disk })
