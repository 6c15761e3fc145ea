/** How slow the disk's own syncs are while a test runs: what no recorder can be faster than. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface SyncProbe {
  /** Longest sync that was under way at or after an instant of `performance.now()`, ms. */
  slowestSince(fromMs: number): number
  stop(): Promise<void>
}

/** Appends 4 KiB and syncs, again and again. */
export async function probeSyncs(folder: string): Promise<SyncProbe> {
  const file = await open(join(folder, 'probe'), 'w')
  const page = Buffer.alloc(4096, 1)
  let took: { readonly endMs: number; readonly ms: number }[] = []
  let beganMs = performance.now()
  let going = true
  const run = async (): Promise<void> => {
    while (going) {
      beganMs = performance.now()
      await file.write(page, 0, page.length, 0)
      await file.datasync()
      const endMs = performance.now()
      took = [...took.slice(-500), { endMs, ms: endMs - beganMs }]
      await sleep(10)
    }
    await file.close()
  }
  const done = run()
  return {
    slowestSince: (fromMs) =>
      Math.max(0, performance.now() - beganMs - 10, ...took.filter(({ endMs }) => endMs >= fromMs).map(({ ms }) => ms)),
    async stop() {
      going = false
      await done
    },
  }
}
