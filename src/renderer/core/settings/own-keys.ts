/** The user's shortcuts. Shortcuts equal to the defaults aren't stored. Pure. */
import type { Command } from '../window/command.ts'
import type { OwnKeys } from '../window/command-table.ts'

const same = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((one, i) => one === b[i])

/** Restores a command's default shortcuts. */
export function withoutOwn(own: OwnKeys, command: Pick<Command, 'id'>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(own)
      .filter(([id]) => id !== command.id)
      .map(([id, keys]) => [id, [...keys]]),
  )
}

/** Sets a command's shortcuts; an empty list removes them. */
export function withKeys(
  own: OwnKeys,
  command: Pick<Command, 'id' | 'keys'>,
  keys: readonly string[],
): Record<string, string[]> {
  const others = withoutOwn(own, command)
  return same(keys, command.keys) ? others : { ...others, [command.id]: [...keys] }
}
