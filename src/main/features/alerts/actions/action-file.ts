/** `alert-actions.json` in Tapedeck's folder: how alert actions are set up, without their secrets. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { CodedError } from '../../../../shared/base/errors.ts'
import { isLoopbackHost } from '../../../base/service-address.ts'

const text = (most: number) => v.pipe(v.string(), v.maxLength(most))
const schema = v.object({
  /** Addresses; '' is off. */
  webhook: v.optional(text(2_048), ''),
  ntfy: v.optional(text(2_048), ''),
  /** A program and its arguments; empty is off. */
  command: v.optional(v.pipe(v.array(text(4_096)), v.maxLength(64)), []),
})
export type ActionSettings = v.InferOutput<typeof schema>

const OFF: ActionSettings = { webhook: '', ntfy: '', command: [] }

export const actionFile = (dataDir: string): string => join(dataDir, 'alert-actions.json')

/** Everything is off if there is no such file. Throws `disk-error` if it can't be read as one. */
export function readActions(dataDir: string): ActionSettings {
  let read: string
  try {
    read = readFileSync(actionFile(dataDir), 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return OFF
    throw unreadable(dataDir, cause)
  }
  try {
    return v.parse(schema, JSON.parse(read))
  } catch (cause) {
    throw unreadable(dataDir, cause)
  }
}

const unreadable = (dataDir: string, cause: unknown): CodedError =>
  new CodedError('disk-error', `${actionFile(dataDir)} can’t be read, so no alert action runs.`, {
    hint: 'Correct it, or delete it and set the actions up again.',
    cause,
  })

/** Replaces the file, readable by its owner only. */
export function writeActions(dataDir: string, actions: ActionSettings): void {
  const file = actionFile(dataDir)
  const draft = `${file}.${process.pid}.tmp`
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(draft, `${JSON.stringify(actions, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

/** Checks an address that alerts are sent to. Throws `bad-url` and, for plain http to another machine, `insecure-url`. */
export function checkAddress(typed: string): URL {
  const url = URL.parse(typed.trim())
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new CodedError('bad-url', 'That isn’t a web address.', { hint: 'Enter it in full, starting with https://.' })
  }
  if (url.username !== '' || url.password !== '') {
    throw new CodedError('bad-url', 'The address contains a user name or password.', {
      hint: 'Remove them. The secret has a field of its own.',
    })
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new CodedError('insecure-url', 'This address isn’t encrypted.', {
      hint: 'Use https://. Plain http:// is allowed only for this machine.',
    })
  }
  return url
}
