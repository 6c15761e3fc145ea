import { open } from 'node:fs/promises'

/** Makes a rename durable where the system can sync folders; elsewhere, as on Windows, does nothing. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close().catch(() => undefined)
}
