/**
 * Sessions of a store that may not be erased yet, with the reason, in a small file next to the store. Every process
 * that erases sessions respects it.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import * as v from 'valibot'
import { HOLDS_SUFFIX } from '../../../base/store-files.ts'
import { CodedError } from '../../../../shared/base/errors.ts'
import { SESSION_ID, sessionId, type SessionId } from '../../../../shared/base/units.ts'

export interface Hold {
  /** Why it may not be erased, as a clause: "the team eu doesn't have all of it yet". */
  readonly why: string
  /** Belongs to the feature that holds it. */
  readonly data: unknown
}
export type Holds = ReadonlyMap<SessionId, Hold>

const FILE = v.object({
  version: v.literal(1),
  sessions: v.record(v.pipe(v.string(), v.regex(SESSION_ID)), v.object({ why: v.string(), data: v.unknown() })),
})

/** The held sessions of a store. Throws `disk-error` if the file can't be read or was changed: then nothing may be erased. */
export function readHolds(store: string): Holds {
  const file = store + HOLDS_SUFFIX
  if (!existsSync(file)) return new Map()
  try {
    const { sessions } = v.parse(FILE, JSON.parse(readFileSync(file, 'utf8')))
    return new Map(Object.entries(sessions).map(([id, hold]) => [sessionId(id), hold]))
  } catch (cause) {
    throw new CodedError('disk-error', `Couldn’t read ${file}, which lists sessions that are still needed.`, {
      hint: 'Nothing is erased until it can be read. Restore it, or delete it if no session is published to a team.',
      cause,
    })
  }
}

/** Replaces the list. Durable when it returns. Throws the disk's error. */
export function writeHolds(store: string, holds: Holds): void {
  const file = store + HOLDS_SUFFIX
  if (holds.size === 0) return rmSync(file, { force: true })
  const fd = openSync(`${file}.part`, 'w')
  try {
    // Unlike writeSync, this fails if the disk takes only a part.
    writeFileSync(fd, `${JSON.stringify({ version: 1, sessions: Object.fromEntries(holds) })}\n`)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(`${file}.part`, file)
}

/** Lets a session be erased after all. Nobody else may write to the store. Throws `not-found` if it isn't held. */
export function releaseHold(store: string, session: SessionId): void {
  const holds = new Map(readHolds(store))
  if (!holds.delete(session))
    throw new CodedError('not-found', `No team needs session ${session}.`, { hint: 'It can be erased already.' })
  writeHolds(store, holds)
}

/** Throws `not-allowed` if one of the sessions is held. */
export function refuseHeld(store: string, sessions: readonly SessionId[]): void {
  const holds = readHolds(store)
  const held = sessions.find((session) => holds.has(session))
  if (held === undefined) return
  throw new CodedError('not-allowed', `Session ${held} can’t be erased yet: ${holds.get(held)?.why ?? ''}.`, {
    hint: `It can be erased once that has happened, or after \`tapedeck sessions --session ${held} --release\`.`,
  })
}
