/** Opens the store: one writer and any number of readers, each in a worker thread if one is given. */
import { dirname } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { LibraryWriter, StoreNotice } from './types/writer.ts'
import type { StoreReader } from './types/reader.ts'
import { openLocalReader, openRemoteReader } from './threads/reader.ts'
import { openWriter } from './threads/writer.ts'

export interface OpenStoreOptions {
  /** Path of the store. A writer creates it. */
  readonly file: string
  /** Module of the worker (`store-worker`, `reader-worker`). Without it the store runs in the caller's thread. */
  readonly worker?: URL | undefined
}

export interface OpenWriterOptions extends OpenStoreOptions {
  /** Called with each fault found when the store is opened, including when it is reopened after its thread died. */
  readonly onNotice?: (notice: StoreNotice) => void
}

/**
 * Opens the store for writing and takes its lock. Rejects with CodedError `store-locked` (another writer),
 * `store-newer` (left untouched), `store-damaged`, `disk-full` or `disk-error`.
 */
export async function openStoreWriter({ file, worker, onNotice }: OpenWriterOptions): Promise<LibraryWriter> {
  try {
    makeFolder(dirname(file))
  } catch (cause) {
    throw new CodedError('disk-error', `Couldn’t create the folder ${dirname(file)}.`, {
      hint: 'Choose another folder for the store, or fix this one.',
      cause,
    })
  }
  return openWriter(file, worker, onNotice)
}

/** Opens the store for reading, with or without a writer. Rejects like `openStoreWriter`, and with `not-found`. */
export const openStoreReader = async ({ file, worker }: OpenStoreOptions): Promise<StoreReader> =>
  worker === undefined ? openLocalReader(file) : openRemoteReader(file, worker)
