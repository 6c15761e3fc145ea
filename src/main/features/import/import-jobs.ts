/** Runs imports of uploaded files as jobs. */
import { basename } from 'node:path'
import type { Ask } from '../../../shared/features/desktop/requests.ts'
import type { CallArgs } from '../../../shared/contracts.ts'
import { CodedError, toFailure, type Failure } from '../../../shared/base/errors.ts'
import type { ImportDone, ImportPreview } from '../../../shared/features/import/import.ts'
import type { JobId } from '../../../shared/core/jobs/jobs.ts'
import { importFile, previewFile } from './file.ts'
import type { FileReading } from './file-reading.ts'
import { checkMapping } from './mapping.ts'
import type { ImportInput } from './run.ts'
import type { StoreLibrary } from '../../core/store/types/library.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { newSessionId } from '../../core/store/types/session-id.ts'
import type { Files } from './uploads.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'

export interface ImportsOptions {
  readonly files: Files
  readonly jobs: Jobs
  readonly reader: Pick<StoreReader, 'sessions'>
  readonly reading: FileReading
  /** Throws if the store isn't open for writing. */
  readonly library: () => StoreLibrary
  /** Sends a request to a window. */
  readonly ask: (ask: Ask) => void
  /** Called if a file on this computer couldn't be opened. */
  readonly refused: (failure: Failure) => void
}

export interface Imports {
  /** Rejects with `cancelled` when a newer preview of the file is asked for, or the file is imported or dropped. */
  preview(args: CallArgs<'import.preview'>): Promise<ImportPreview>
  /** Rejects with `usage` for a mapping that can't work. */
  start(args: CallArgs<'import.start'>): Promise<JobId>
  /** Makes a window offer to import a local file that the host was asked to open. Never rejects. */
  open(path: string): Promise<void>
}

export function createImports({ files, jobs, reader, reading, library, ask, refused }: ImportsOptions): Imports {
  const inputOf = (file: string, manifest: string | undefined): ImportInput => {
    const { path, name, bytes } = files.received(file)
    return { path, name, bytes, manifest: manifest === undefined ? undefined : files.received(manifest).path }
  }
  /** The preview under way of each file, and its end, so that there is one at a time however often a window asks. */
  const previews = new Map<string, { readonly stop: AbortController; readonly ended: Promise<unknown> }>()
  return {
    async open(path) {
      try {
        ask({ do: 'import', file: await files.adopt(path), name: basename(path) })
      } catch (thrown) {
        refused(toFailure(thrown))
      }
    },
    async preview({ file, mapping, manifest }) {
      const input = inputOf(file, manifest)
      const stop = new AbortController()
      const signal = AbortSignal.any([stop.signal, files.received(file).dropped])
      const before = previews.get(file)
      before?.stop.abort()
      const preview = (async () => {
        await before?.ended
        if (signal.aborted) throw new CodedError('cancelled', 'The preview was canceled.')
        return previewFile(input, mapping, reading, signal)
      })()
      const current = { stop, ended: preview.catch(() => undefined) }
      previews.set(file, current)
      try {
        return await preview
      } finally {
        if (previews.get(file) === current) previews.delete(file)
      }
    },
    async start({ file, mapping, manifest }) {
      const input = inputOf(file, manifest)
      const { name, bytes } = input
      if (mapping !== null) checkMapping(mapping)
      const store = { library: library(), sessions: () => reader.sessions(), newId: newSessionId, reading }
      previews.get(file)?.stop.abort()
      return jobs.start('import', name, 'messages', async (progress, signal) => {
        try {
          const result = await importFile(input, mapping, store, {
            signal,
            onProgress: ({ done, messages }) => progress({ done: Math.min(0.999, done), count: messages }),
          })
          progress({ count: result.messages, bytes })
          return { text: doneText(result), result }
        } finally {
          await files.drop(file)
          if (manifest !== undefined) await files.drop(manifest)
        }
      })
    },
  }
}

/** The result of an import as a sentence. */
function doneText({ sessions, messages, skipped, already }: ImportDone): string {
  if (already) return `Session ${sessions[0].session} is already in the store.`
  const many = sessions.length === 1 ? 'one session' : `${sessions.length} sessions`
  const left =
    skipped === 0
      ? ''
      : skipped === 1
        ? '; one line was skipped'
        : `; ${skipped.toLocaleString('en')} lines were skipped`
  const count = messages === 1 ? '1 message' : `${messages.toLocaleString('en')} messages`
  return `${count} in ${many}${left}.`
}
