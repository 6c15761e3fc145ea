/** `api.json` in Tapedeck's folder: where the API is and the token for it, readable by its owner only. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '../../../service/control.ts'
import { replaceWhole } from '../../base/whole-file.ts'

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

/** Writes the file for the programs that connect. On a full disk the old one stays, and with it the token. */
export function writeApiFile(dataDir: string, baseUrl: string, token: string): void {
  replaceWhole(apiFile(dataDir), `${JSON.stringify({ base_url: baseUrl, token })}\n`)
}
