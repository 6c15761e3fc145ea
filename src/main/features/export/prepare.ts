/** Writes an export and its manifest under temporary names, then renames both once they are complete. */
import type { ExportedFile } from '../../../shared/features/export/export.ts'
import { manifestText, type ManifestInput } from './manifest.ts'
import { stopIfCancelled, type Prepared } from './options.ts'
import { createSafeFile, type SafeFile } from '../../base/file-sink.ts'

/** What `fill` reports for the manifest. */
export type PreparedExport = Omit<ManifestInput, 'sha256'>

/**
 * Calls `fill` to write the file, then writes the manifest. On any failure, removes both.
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

/** Moves a prepared export to its final name. If that fails, removes its temporary files. */
export async function commitPrepared(prepared: Prepared): Promise<ExportedFile> {
  try {
    await prepared.commit()
  } finally {
    await prepared.discard()
  }
  const { path, rows, bytes, sha256, manifest } = prepared
  return { path, rows, bytes, sha256, manifest }
}
