/** Previews and imports any supported file, recognized by its content. */
import type { CsvMapping, ImportDone, ImportPreview } from '../../../shared/features/import/import.ts'
import { importPackage, isPackage } from '../sessions/unpack.ts'
import type { StoreLibrary } from '../../core/store/types/library.ts'
import { READ_HERE } from './file-reading.ts'
import { importText, previewText, type ImportInput, type ImportStore, type ImportWatch } from './run.ts'

export interface FileImportStore extends ImportStore {
  readonly library: StoreLibrary
}

/** Like `previewText`, and accepts session files, too. Their preview has no details, which would need a full read. */
export async function previewFile(
  input: ImportInput,
  mapping: CsvMapping | null,
  reading = READ_HERE,
  signal?: AbortSignal,
): Promise<ImportPreview> {
  if (!(await isPackage(input.path))) return previewText(input, mapping, reading, signal)
  const { name, bytes } = input
  return { kind: 'package', name, bytes, columns: [], rows: [], mapping: null, problems: [], exact: true, gaps: null }
}

/** Like `importText`, and accepts session files, too. Sets `already` if the store already has the session. */
export async function importFile(
  input: ImportInput,
  mapping: CsvMapping | null,
  store: FileImportStore,
  { signal, onProgress }: ImportWatch = {},
): Promise<ImportDone> {
  if (!(await isPackage(input.path))) return importText(input, mapping, store, { signal, onProgress })
  const { session, messages, already } = await importPackage(input.path, store.library, {
    signal,
    onProgress: (done, count) => onProgress?.({ done, messages: count }),
  })
  return { sessions: [{ session, messages }], messages, skipped: 0, problems: [], already }
}
