/** `alert-actions.json` in Tapedeck's folder: how alert actions are set up, without their secrets. */
import { join } from 'node:path'
import * as v from 'valibot'
import { text } from '../../../../shared/base/schemas.ts'
import { CodedError } from '../../../../shared/base/errors.ts'
import { readWhole, replaceWhole } from '../../../base/whole-file.ts'
import { isLoopbackHost } from '../../../base/service-address.ts'

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
  try {
    const text = readWhole(actionFile(dataDir))
    return text === null ? OFF : v.parse(schema, JSON.parse(text))
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
  replaceWhole(actionFile(dataDir), `${JSON.stringify(actions, null, 2)}\n`)
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
