/** Imports as windows ask for them: of files that were sent, as jobs. */
import { basename } from 'node:path'
import type { CallArgs } from '../../shared/contract.ts'
import type { ImportDone, ImportPreview } from '../../shared/importing.ts'
import type { JobId } from '../../shared/jobs.ts'
import { importFile, previewFile } from '../importing/file.ts'
import { importPackage } from '../packages/import.ts'
import type { StoreLibrary, StoreReader } from '../store/port.ts'
import { newRecordingId } from '../store/recording-id.ts'
import type { Files } from './files.ts'
import type { Jobs } from './jobs.ts'

export interface ImportsOptions {
  readonly files: Files
  readonly jobs: Jobs
  readonly reader: Pick<StoreReader, 'sessions'>
  /** Throws where the store is not open for writing. */
  readonly library: () => StoreLibrary
}

export interface Imports {
  preview(args: CallArgs<'import.preview'>): Promise<ImportPreview>
  start(args: CallArgs<'import.start'>): Promise<JobId>
  /** Imports a session file of this computer, which the host was asked to open. */
  open(path: string): JobId
}

export function createImports({ files, jobs, reader, library }: ImportsOptions): Imports {
  return {
    open: (path) =>
      jobs.start('import', basename(path), 'messages', async (progress, signal) => {
        const { recording, messages, already } = await importPackage(path, library(), {
          signal,
          onProgress: (done, count) => progress({ done: Math.min(0.999, done), count }),
        })
        progress({ count: messages })
        const result: ImportDone = {
          sessions: [{ session: recording, messages }],
          messages,
          skipped: 0,
          problems: [],
          already,
        }
        return { text: doneText(result), result }
      }),
    async preview({ file, mapping }) {
      const { path, name, bytes } = files.received(file)
      return previewFile({ path, name, bytes }, mapping)
    },
    async start({ file, mapping }) {
      const { path, name, bytes } = files.received(file)
      const store = { library: library(), sessions: () => reader.sessions(), newId: newRecordingId }
      return jobs.start('import', name, 'messages', async (progress, signal) => {
        try {
          const result = await importFile({ path, name, bytes }, mapping, store, {
            signal,
            onProgress: ({ done, messages }) => progress({ done: Math.min(0.999, done), count: messages }),
          })
          progress({ count: result.messages, bytes })
          return { text: doneText(result), result }
        } finally {
          await files.drop(file)
        }
      })
    },
  }
}

/** What an import came to, in a sentence. */
export function doneText({ sessions, messages, skipped, already }: ImportDone): string {
  if (already) return `Session ${sessions[0].session} is in the store already.`
  const many = sessions.length === 1 ? 'one session' : `${sessions.length} sessions`
  const left = skipped === 0 ? '' : skipped === 1 ? '; one line was left out' : `; ${skipped} lines were left out`
  return `${messages} messages in ${many}${left}.`
}
