/**
 * Secrets in a file, for machines without a keychain: only where the user asks for it with `tapedeck login
 * --credentials-file`. While the file exists, it is used instead of the keychain.
 */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { replaceWhole } from '../../base/whole-file.ts'
import type { Keychain } from './keychain.ts'

export interface CredentialsFile {
  readonly path: string
  exists(): boolean
  /** Makes an empty file if there is none. Throws `keychain`. */
  create(): void
  /** Removes the file if it holds no secret. */
  removeIfEmpty(): void
  /** The file as a keychain. Its methods reject with `keychain`. */
  readonly keychain: Keychain
}

const OTHERS = 0o077

/** `credentials.json` in a folder, readable by its owner alone. */
export function credentialsFile(folder: string): CredentialsFile {
  const path = join(folder, 'credentials.json')

  function read(): Readonly<Record<string, string>> {
    if (!existsSync(path)) return {}
    if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) {
      throw new CodedError('keychain', `Other users can read ${path}.`, {
        hint: `Run "chmod 600 ${path}", and change the password if someone else may have read it.`,
      })
    }
    try {
      const { secrets } = JSON.parse(readFileSync(path, 'utf8')) as { readonly secrets: unknown }
      if (typeof secrets !== 'object' || secrets === null) throw new TypeError('it has no secrets')
      const entries = Object.entries(secrets)
      if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
        throw new TypeError('a secret isn’t text')
      return Object.fromEntries(entries)
    } catch {
      // The cause may quote the file.
      throw new CodedError('keychain', `${path} can’t be read as a credentials file.`, {
        hint: 'Remove it, then run "tapedeck login --credentials-file" again.',
      })
    }
  }

  /** Replaces the file: a reader sees the old one or the new one, and nobody else either. */
  function write(secrets: Readonly<Record<string, string>>): void {
    try {
      makeFolder(dirname(path), 0o700)
      replaceWhole(path, `${JSON.stringify({ version: 1, secrets }, null, 2)}\n`)
    } catch (cause) {
      throw new CodedError('keychain', `Couldn’t write ${path}.`, {
        hint: 'Check the free disk space and the folder’s permissions.',
        cause,
      })
    }
  }

  return {
    path,
    exists: () => existsSync(path),
    create() {
      if (!existsSync(path)) write({})
    },
    removeIfEmpty() {
      if (existsSync(path) && Object.keys(read()).length === 0) rmSync(path)
    },
    keychain: {
      kind: 'file',
      why: null,
      get: async (account) => read()[account] ?? null,
      set: async (account, secret) => write({ ...read(), [account]: secret }),
      delete: async (account) => write(Object.fromEntries(Object.entries(read()).filter(([name]) => name !== account))),
    },
  }
}
