/** Any file that can be imported, told apart by what it holds. */
import type { CsvMapping, ImportDone, ImportPreview } from '../../../shared/features/import/import.ts'
import { importPackage, isPackage } from '../sessions/unpack.ts'
import type { StoreLibrary } from '../../core/store/types/library.ts'
import { importText, previewText, type ImportInput, type ImportStore, type ImportWatch } from './run.ts'

export interface FileImportStore extends ImportStore {
  readonly library: StoreLibrary
}

/** As `previewText`; a session file says of itself only that it is one until it is read whole. */
export async function previewFile(input: ImportInput, mapping: CsvMapping | null): Promise<ImportPreview> {
  if (!(await isPackage(input.path))) return previewText(input, mapping)
  const { name, bytes } = input
  return { kind: 'package', name, bytes, columns: [], rows: [], mapping: null, problems: [], exact: true, gaps: null }
}

/** As `importText`, also for session files; a session that the store holds already is answered as such. */
export async function importFile(
  input: ImportInput,
  mapping: CsvMapping | null,
  store: FileImportStore,
  { signal, onProgress }: ImportWatch = {},
): Promise<ImportDone> {
  if (!(await isPackage(input.path))) return importText(input, mapping, store, { signal, onProgress })
  const { recording, messages, already } = await importPackage(input.path, store.library, {
    signal,
    onProgress: (done, count) => onProgress?.({ done, messages: count }),
  })
  return { sessions: [{ session: recording, messages }], messages, skipped: 0, problems: [], already }
}
