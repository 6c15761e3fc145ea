/** Commands of the contract that this version does not have yet: listed, and refused with a sentence. */
import { CodedError } from '../../shared/errors.ts'
import type { Command } from './command.ts'

const later = (name: string, positionals: string | undefined, what: string): Command => ({
  name,
  summary: `${what} (not yet in this version)`,
  options: {},
  ...(positionals === undefined ? {} : { positionals }),
  run: () => Promise.reject(new CodedError('not-found', `"tapedeck ${name}" is not yet in this version of Tapedeck.`)),
})

export const LATER: readonly Command[] = [
  later('replay', undefined, 'Plays a session through the hub'),
]
