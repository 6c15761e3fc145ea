/** The store as a feature: its file, its writer and its reader. */
import { defineFeature } from '../../terminal/feature.ts'
import { log } from '../log/feature.ts'
import { settings } from '../settings/feature.ts'
import { accessStore, type StoreAccess } from './store-access.ts'

export interface StoreService extends StoreAccess {
  /** Adds work that runs once this process no longer has the store open. */
  onClosed(work: () => Promise<void>): void
}

export const store = defineFeature({
  name: 'store',
  needs: { settings, log },
  async start({ settings, log }, host) {
    const access = await accessStore({ host, storePath: settings.get().recording.storePath, log })
    const after: (() => Promise<void>)[] = []
    const service: StoreService = { ...access, onClosed: (work) => void after.push(work) }
    return {
      service,
      async close() {
        // The writer last: while a reader has the store open, SQLite doesn't remove the write-ahead log.
        await Promise.allSettled([access.reader.close()])
        await Promise.allSettled([access.writer.close()])
        for (const work of after) await work()
      },
    }
  },
})
