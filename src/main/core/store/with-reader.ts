/** Opens the store of a command. */
import { existsSync } from 'node:fs'
import { CodedError } from '../../../shared/base/errors.ts'
import { openStoreReader, openStoreWriter } from './open.ts'
import type { StoreReader } from './types/reader.ts'
import type { Context, Values } from '../../command-line/command.ts'
import { storePath } from './store-path.ts'

/**
 * Opens the command's store for reading and closes it after `use`. Works while a writer is recording. Throws
 * `not-found`.
 */
export async function withReader<T>(
  values: Values,
  context: Context,
  use: (reader: StoreReader) => Promise<T>,
): Promise<T> {
  const file = storePath(values, context)
  if (!existsSync(file)) {
    throw new CodedError('not-found', `There is no store at ${file}.`, {
      hint: 'Record something first, or name another one with --store.',
    })
  }
  const reader = await openStoreReader({ file, worker: context.workers.reader })
  try {
    return await use(reader)
  } finally {
    await reader.close()
  }
}

/** Opens the command's store for writing. Throws `store-locked` while another Tapedeck records into it. */
export const openCommandWriter = (values: Values, context: Context) =>
  openStoreWriter({
    file: storePath(values, context),
    worker: context.workers.store,
    onNotice: ({ message, hint }) => context.err(`${message} ${hint}\n`),
  })
