// What electron-builder may know of certificates. It takes a variable that is set but empty for a certificate, and a
// secret that a repository does not have arrives empty; and it wants Apple's API key as the path of a file.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const VARIABLES = [
  'CSC_LINK',
  'CSC_KEY_PASSWORD',
  'CSC_NAME',
  'WIN_CSC_LINK',
  'WIN_CSC_KEY_PASSWORD',
  'APPLE_API_KEY',
  'APPLE_API_KEY_ID',
  'APPLE_API_ISSUER',
]

/**
 * The environment of a packaging run: `env` without signing variables that are empty, and with the text of an API key
 * written into a file of `folder` that only its owner may read.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {string} folder
 */
export function signingEnv(env, folder) {
  const result = { ...env }
  for (const name of VARIABLES) if ((result[name] ?? '').trim() === '') delete result[name]
  if (result.APPLE_API_KEY?.includes('BEGIN PRIVATE KEY')) {
    const path = join(folder, 'AuthKey.p8')
    writeFileSync(path, `${result.APPLE_API_KEY.trim()}\n`, { mode: 0o600 })
    result.APPLE_API_KEY = path
  }
  return result
}
