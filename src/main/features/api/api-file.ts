/** `api.json` in Tapedeck's folder: where the API is and the token for it, readable by its owner only. */
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '../../../service/control.ts'

const MODE = 0o600
const TOKEN = /^[\w-]{43}$/

export const apiFile = (dataDir: string): string => join(dataDir, 'api.json')

/** The token of earlier starts, or a new one: programs keep working after a restart. */
export function readToken(dataDir: string): string {
  let text = ''
  try {
    text = readFileSync(apiFile(dataDir), 'utf8')
  } catch {
    // There is no such file yet.
  }
  const known = parseJson(text)
  const token = isObject(known) ? known.token : undefined
  return typeof token === 'string' && TOKEN.test(token) ? token : randomBytes(32).toString('base64url')
}

/** Writes the file for the programs that connect. */
export function writeApiFile(dataDir: string, baseUrl: string, token: string): void {
  const file = apiFile(dataDir)
  writeFileSync(file, `${JSON.stringify({ base_url: baseUrl, token })}\n`, { mode: MODE })
  // An existing file keeps its mode otherwise.
  chmodSync(file, MODE)
}
