/** Opening the store: one writer, any number of readers; each in a thread where one is given. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { CodedError } from '../../../shared/base/errors.ts'
import type { LibraryWriter, StoreNotice, StoreReader } from './types/store.ts'
import { openLocalReader } from './threads/reader.ts'
import { openRemoteReader } from './threads/remote-reader.ts'
import { openWriter } from './threads/writer.ts'

export interface OpenStoreOptions {
  /** Path of the store; a writer creates it. */
  readonly file: string
  /** Module of the thread (`store-worker`, `reader-worker`); absent: the caller's own thread. */
  readonly worker?: URL | undefined
}

export interface OpenWriterOptions extends OpenStoreOptions {
  /** Hears of what was found wrong each time the store is opened: also after the death of its thread. */
  readonly onNotice?: (notice: StoreNotice) => void
}

/**
 * Opens the store for writing and takes its lock. Rejects with CodedError `store-locked` (another
 * writer), `store-newer` (untouched), `store-damaged`, `disk-full` or `disk-error`.
 */
export async function openStoreWriter({ file, worker, onNotice }: OpenWriterOptions): Promise<LibraryWriter> {
  try {
    mkdirSync(dirname(file), { recursive: true })
  } catch (cause) {
    throw new CodedError('disk-error', `The folder ${dirname(file)} cannot be made.`, {
      hint: 'Choose another place for the store in the settings, or free this one.',
      cause,
    })
  }
  return openWriter(file, worker, onNotice)
}

/** Opens the store for reading, beside a writer or without one. Rejects also with `not-found`. */
export const openStoreReader = async ({ file, worker }: OpenStoreOptions): Promise<StoreReader> =>
  worker === undefined ? openLocalReader(file) : openRemoteReader(file, worker)
