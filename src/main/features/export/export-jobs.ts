/** Runs exports started from a window as jobs. */
import { stat, statfs } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import type { CallArgs } from '../../../shared/contracts.ts'
import type { ExportDefaults } from '../../../shared/features/export/contract.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import {
  fileNameOf,
  type ExportDone,
  type ExportEstimate,
  type ExportRequest,
} from '../../../shared/features/export/export.ts'
import type { JobId } from '../../../shared/core/jobs/jobs.ts'
import { isFileName } from '../../base/file-names.ts'
import { listUnfinishedFiles } from '../../core/jobs/unfinished-files.ts'
import { estimateExport } from './estimate.ts'
import { findExisting } from './names.ts'
import { refuseConflict, refuseName, runExport } from './run.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'

export interface ExportsOptions {
  readonly reader: StoreReader
  readonly jobs: Jobs
  /** The user's home folder. */
  readonly home: string
  /** The app's folder. */
  readonly dataDir: string
  /** The host's folder dialog, if it has one. */
  readonly chooseFolder?: ((from: string) => Promise<string | null>) | undefined
}

export interface Exports {
  defaults(): Promise<ExportDefaults>
  /** Rejects with `not-allowed` if the host has no folder dialog. */
  choose(folder: string): Promise<string | null>
  estimate(args: CallArgs<'export.estimate'>): Promise<ExportEstimate>
  /** Rejects with `usage` or `not-found` before a job is created. */
  start(args: CallArgs<'export.start'>): Promise<JobId>
}

export function createExports({ reader, jobs, home, dataDir, chooseFolder }: ExportsOptions): Exports {
  return {
    async defaults() {
      const downloads = join(home, 'Downloads')
      return { folder: (await isFolder(downloads)) ? downloads : home, canChoose: chooseFolder !== undefined }
    },
    choose(folder) {
      if (chooseFolder !== undefined) return chooseFolder(folder)
      throw new CodedError('not-allowed', 'This window can’t show a folder dialog.', {
        hint: 'Enter the path of the folder.',
      })
    },
    async estimate({ request, folder, name }) {
      const estimated = await estimateExport(reader, request)
      const there = folder !== null && isAbsolute(folder) && (await isFolder(folder))
      return {
        ...estimated,
        exists:
          there && name !== null && isFileName(name) ? await inTheWay(pathOf(folder, name, request), request) : null,
        freeBytes: there ? await roomOf(folder) : null,
      }
    },
    async start({ request, folder, name, replace }) {
      refuseConflict(request)
      if (!isFileName(name)) {
        throw new CodedError('usage', `"${name}" isn’t a valid file name.`, { hint: 'Use letters, digits, - and _.' })
      }
      if (!isAbsolute(folder) || !(await isFolder(folder))) {
        throw new CodedError('not-found', `No such folder: ${folder}.`, { hint: 'Choose an existing folder.' })
      }
      const out = pathOf(folder, name, request)
      refuseName(out, request)
      if (!replace && (await inTheWay(out, request))) {
        throw new CodedError('usage', `${basename(out)} already exists.`, {
          hint: 'Choose another name, or replace it.',
        })
      }
      return jobs.start('export', basename(out), 'rows', async (progress, signal) => {
        const { rows: all } = await estimateExport(reader, request)
        const unfinished = listUnfinishedFiles(dataDir)
        const done = await runExport(reader, request, out, {
          signal,
          file: { replace, onTemporary: (path) => unfinished.add(path) },
          onProgress: ({ rows, bytes }) =>
            progress({ done: all === 0 ? null : Math.min(0.999, rows / all), count: rows, bytes }),
        }).finally(() => unfinished.done())
        progress({ count: done.rows, bytes: done.bytes })
        return { text: doneText(done, folder), result: done }
      })
    },
  }
}

function doneText({ files }: ExportDone, folder: string): string {
  const [first, ...others] = files
  if (first === undefined) return 'Nothing to write.'
  return others.length === 0 ? first.path : `${files.length} files in ${folder}`
}

/** The full path of the file, with the extension of its format. */
const pathOf = (folder: string, name: string, { format }: ExportRequest): string =>
  join(folder, fileNameOf(name, format))

/** Whether the file, or any file a split could write, already exists. */
const inTheWay = async (out: string, { split }: ExportRequest): Promise<boolean> =>
  (await findExisting(out, split !== 'none')) !== undefined

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true

async function roomOf(folder: string): Promise<number | null> {
  const room = await statfs(folder).catch(() => undefined)
  return room === undefined ? null : room.bavail * room.bsize
}
