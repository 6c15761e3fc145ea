import { open } from 'node:fs/promises'

/** Makes a rename durable where the system lets folders be synced; elsewhere, as on Windows, it does nothing. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close().catch(() => undefined)
}
