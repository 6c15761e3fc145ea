/** Writes an export and its manifest under temporary names, then renames both once they are complete. */
import type { ExportedFile } from '../../../shared/features/export/export.ts'
import { manifestText, type ManifestInput } from './manifest.ts'
import { partPath } from './names.ts'
import { stopIfCancelled, type CommonOptions, type Prepared } from './options.ts'
import { createSafeFile, type SafeFile } from '../../base/file-sink.ts'

/** What `fill` reports for the manifest. */
export type PreparedExport = Omit<ManifestInput, 'sha256'>

/**
 * Calls `fill` to write the file, then writes the manifest, unless it is a stream. On any failure, removes both.
 */
export async function prepareFile(
  { out, stream, file: fileOptions = {} }: Pick<CommonOptions, 'out' | 'stream' | 'file'>,
  signal: AbortSignal | undefined,
  fill: (file: SafeFile) => Promise<() => Promise<PreparedExport>>,
): Promise<Prepared> {
  const file = stream ?? (await createSafeFile(out, fileOptions))
  let note: SafeFile | undefined
  const discard = async (): Promise<void> => {
    await file.discard()
    await note?.discard()
  }
  try {
    const tell = await fill(file)
    const sha256 = await file.finish()
    const prepared = await tell()
    if (stream !== undefined) {
      const { rows } = prepared
      return { path: out, rows, bytes: file.written, sha256, manifest: '', commit: () => file.commit(), discard }
    }
    const manifest = `${out}.manifest.json`
    // It belongs to the file: who may make one may replace the other.
    note = await createSafeFile(manifest, { ...fileOptions, replace: true })
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

/** What an export reads, part by part. Several files may share it. */
export class ExportRun<Part> {
  readonly #parts: AsyncIterator<Part, void>
  readonly #isWritten: (part: Part) => boolean
  #current: Part | null | undefined

  constructor(parts: AsyncIterator<Part, void>, isWritten: (part: Part) => boolean) {
    this.#parts = parts
    this.#isWritten = isWritten
  }

  /** The part to write from now on; null at the end. */
  async now(): Promise<Part | null> {
    while (this.#current === undefined || (this.#current !== null && this.#isWritten(this.#current))) {
      const { value, done } = await this.#parts.next()
      this.#current = done === true ? null : value
    }
    return this.#current
  }
}

/**
 * Prepares one file, or several where `maxRows` is reached: `OUT.csv`, `OUT.2.csv` and so on. On any failure, removes all.
 */
export async function prepareFiles<Options extends Pick<CommonOptions, 'out' | 'onProgress' | 'maxRows'>>(
  options: Options,
  run: Pick<ExportRun<unknown>, 'now'>,
  prepare: (part: Options) => Promise<Prepared>,
): Promise<readonly Prepared[]> {
  const prepared: Prepared[] = []
  const written = { rows: 0, bytes: 0 }
  try {
    do {
      const out = prepared.length === 0 ? options.out : partPath(options.out, String(prepared.length + 1))
      const onProgress: Options['onProgress'] = ({ rows, bytes }) =>
        options.onProgress?.({ rows: written.rows + rows, bytes: written.bytes + bytes })
      const one = await prepare({ ...options, out, onProgress })
      // What was left may have been no market data.
      if (one.rows === 0 && prepared.length > 0) await one.discard()
      else prepared.push(one)
      written.rows += one.rows
      written.bytes += one.bytes
    } while (options.maxRows !== undefined && (await run.now()) !== null)
    return prepared
  } catch (thrown) {
    for (const one of prepared) await one.discard()
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
