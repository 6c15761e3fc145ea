/** An export's file with its manifest: written whole under temporary names, then given their own. */
import type { ExportedFile } from '../../../shared/features/export/export.ts'
import { manifestText, type ManifestInput } from './manifest.ts'
import { stopIfCancelled, type Prepared } from './options.ts'
import { createSafeFile, type SafeFile } from '../../base/file-sink.ts'

/** What `fill` leaves for the manifest to say. */
export type PreparedExport = Omit<ManifestInput, 'sha256'>

/**
 * Lets `fill` write the file, then writes the manifest. Whatever fails, nothing is left behind.
 */
export async function prepareFile(
  out: string,
  signal: AbortSignal | undefined,
  fill: (file: SafeFile) => Promise<() => Promise<PreparedExport>>,
): Promise<Prepared> {
  const file = await createSafeFile(out)
  let note: SafeFile | undefined
  const discard = async (): Promise<void> => {
    await file.discard()
    await note?.discard()
  }
  try {
    const tell = await fill(file)
    const sha256 = await file.finish()
    const prepared = await tell()
    const manifest = `${out}.manifest.json`
    note = await createSafeFile(manifest)
    note.text(manifestText({ ...prepared, sha256 }))
    await note.finish()
    stopIfCancelled(signal)
    const done = note
    return {
      path: out,
      rows: prepared.rows,
      bytes: file.written,
      sha256,
      manifest,
      async commit() {
        await file.commit()
        await done.commit()
      },
      discard,
    }
  } catch (thrown) {
    await discard()
    throw thrown
  }
}

/** Gives a prepared file its name; of what was made before it only what can be said is kept. */
export async function commitPrepared(prepared: Prepared): Promise<ExportedFile> {
  try {
    await prepared.commit()
  } finally {
    await prepared.discard()
  }
  const { path, rows, bytes, sha256, manifest } = prepared
  return { path, rows, bytes, sha256, manifest }
}
