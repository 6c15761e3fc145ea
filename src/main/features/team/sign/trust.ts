/** `--trust`: the public keys of a team's recorders, from the command line or a file. */
import { readFileSync } from 'node:fs'
import { UsageError, type Option, type Values } from '../../../command-line/command.ts'
import type { TrustedKeys } from './authorship.ts'
import { PUBLIC_KEY, SEED } from './key-format.ts'

const MAX_FILE_BYTES = 1 << 20

export const TRUST_OPTION: Option = {
  type: 'string',
  multiple: true,
  value: 'KEY|FILE',
  help: 'Public key of a recorder, or a file with a key and a name on each line; repeatable',
}

/** The trusted keys, each with its name; null: none are given. Throws UsageError. */
export function readTrust(values: Values): TrustedKeys | null {
  const texts = values.texts('trust')
  if (texts.length === 0) return null
  const keys = new Map<string, string>()
  for (const text of texts) {
    if (SEED.test(text))
      throw new UsageError('--trust takes public keys, which start with U. Keep the seed, which starts with SU, secret')
    if (PUBLIC_KEY.test(text)) keys.set(text, keys.get(text) ?? 'a trusted key')
    else for (const [key, name] of readKeys(text)) keys.set(key, name)
  }
  return keys
}

/** The trusted keys of the settings, a key and a name on each line; null: none are given. Throws UsageError. */
export function readTrustText(text: string): TrustedKeys | null {
  const keys = parseKeys(text, 'the list of trusted keys')
  return keys.length === 0 ? null : new Map(keys)
}

/** A key and its name a line; empty lines and those that begin with # don't count. */
function readKeys(file: string): [key: string, name: string][] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`--trust takes a public key, which begins with U, or a file; couldn’t read ${file}`, { cause })
  }
  if (text.length > MAX_FILE_BYTES) throw new UsageError(`the --trust file ${file} is too large`)
  const keys = parseKeys(text, `the --trust file ${file}`)
  if (keys.length === 0) throw new UsageError(`the --trust file ${file} has no key`)
  return keys
}

/** `what`: where the text is from, for sentences. */
function parseKeys(text: string, what: string): [key: string, name: string][] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): [string, string] => {
      const [key = '', ...name] = line.split(/\s+/)
      if (SEED.test(key))
        throw new UsageError(`${what} has a seed, which starts with SU. Keep it secret, and enter public keys`)
      if (!PUBLIC_KEY.test(key)) throw new UsageError(`${what} has a line without a public key, which begins with U`)
      return [key, name.join(' ') || 'a trusted key']
    })
}
