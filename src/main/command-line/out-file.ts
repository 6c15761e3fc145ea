/** Checks the file that --out names before anything is read. */
import { existsSync } from 'node:fs'
import { CodedError } from '../../shared/base/errors.ts'
import { fileFailure } from '../base/file-sink.ts'
import { findTarget } from '../base/final-name.ts'
import type { Values } from './command.ts'

/** Throws `usage` if a folder, device or socket has the name, and `disk-error` for a link that leads to itself. */
export async function refuseNoFile(out: string): Promise<string> {
  return findTarget(out).catch((thrown: unknown) => {
    throw fileFailure(thrown, out)
  })
}

/** Like `refuseNoFile`; also throws `usage` if there is a file, unless --force is given. */
export async function refuseTaken(out: string, values: Values): Promise<void> {
  if (existsSync(await refuseNoFile(out)) && !values.on('force')) throw alreadyThere(out)
}

export const alreadyThere = (path: string): CodedError =>
  new CodedError('usage', `${path} already exists.`, {
    hint: 'Choose another name, or replace the file with --force.',
  })
