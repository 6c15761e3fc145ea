/**
 * A folder whose disk can be filled and freed: a small tmpfs where this process may mount one, else a
 * limit on the size of files.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface SmallDisk {
  readonly how: string
  readonly folder: string
  /** How a write that finds no room is told. */
  readonly code: 'disk-full' | 'disk-error'
  /** From now on nothing can be written. */
  fill(): void
  free(): void
  /** Frees and unmounts. */
  end(): void
}

/** A tmpfs of so many MiB, or a limit on file sizes; a text says why neither is possible. */
export function smallDisk(parent: string, mebibytes: number): SmallDisk | string {
  const folder = join(parent, 'small')
  mkdirSync(folder)
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { encoding: 'utf8' })
  if (mount.status === 0) return tmpfs(folder, mebibytes)
  const limited = spawnSync('prlimit', ['--pid', String(process.pid), '--fsize'], { encoding: 'utf8' })
  if (limited.status === 0) return fileLimit(folder)
  return `no tmpfs (${(mount.stderr || String(mount.error)).trim()}) and no prlimit (${(limited.stderr || String(limited.error)).trim()})`
}

function tmpfs(folder: string, mebibytes: number): SmallDisk {
  const ballast = join(folder, 'ballast')
  const free = (): void => rmSync(ballast, { force: true })
  return {
    how: `a tmpfs of ${mebibytes} MiB`,
    folder,
    code: 'disk-full',
    fill() {
      const file = openSync(ballast, 'a')
      for (const size of [1 << 20, 4096]) {
        try {
          for (;;) writeSync(file, Buffer.alloc(size))
        } catch (thrown) {
          if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown // an errno of the file system
        }
      }
      closeSync(file)
    },
    free,
    end() {
      free()
      spawnSync('umount', ['--lazy', folder])
    },
  }
}

function fileLimit(folder: string): SmallDisk {
  const limit = (bytes: string): void => {
    const set = spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`])
    if (set.status !== 0) throw new Error('the limit on file sizes could not be set')
  }
  const free = (): void => limit('unlimited')
  return {
    how: 'a limit on the size of files (RLIMIT_FSIZE)',
    folder,
    code: 'disk-error',
    fill() {
      const wal = statSync(join(folder, 'disk.db-wal'), { throwIfNoEntry: false })
      // The log is overwritten from its start after a checkpoint, so only a limit below its size is felt at once.
      limit(String(Math.min(65_536, wal?.size ?? 65_536)))
    },
    free,
    end: free,
  }
}
