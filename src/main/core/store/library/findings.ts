/**
 * Sessions in which a verification found something, in a small file next to the store: verification reads the store only.
 * Lists of sessions show them as corrupt until a verification finds them intact, or they are erased.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import * as v from 'valibot'
import { FINDINGS_SUFFIX } from '../../../base/store-files.ts'
import { SESSION_ID, sessionId, type SessionId } from '../../../../shared/base/units.ts'
import type { VerifyReport } from '../../../../shared/core/recording/session.ts'

const FILE = v.object({ version: v.literal(1), corrupt: v.array(v.pipe(v.string(), v.regex(SESSION_ID))) })

/** The sessions of a store that were found corrupt; none if the file can't be read: another verification finds them. */
export function readFindings(store: string): ReadonlySet<SessionId> {
  try {
    const { corrupt } = v.parse(FILE, JSON.parse(readFileSync(store + FINDINGS_SUFFIX, 'utf8')))
    return new Set(corrupt.map((id) => sessionId(id)))
  } catch {
    return new Set()
  }
}

/** Replaces the findings. Returns false if the folder can't be written to, such as on a read-only disk. */
function writeFindings(store: string, corrupt: ReadonlySet<SessionId>): boolean {
  const file = store + FINDINGS_SUFFIX
  try {
    if (corrupt.size === 0) {
      rmSync(file, { force: true })
      return true
    }
    // Another process may write its own at the same time.
    const draft = `${file}.${process.pid}.part`
    writeFileSync(draft, `${JSON.stringify({ version: 1, corrupt: [...corrupt].sort() })}\n`, { mode: 0o600 })
    renameSync(draft, file)
    return true
  } catch {
    return false
  }
}

/**
 * Saves which sessions a verification found corrupt. `session`: the only one it read, or null. Returns false if the
 * folder can't be written to: the report is as true, but lists won't show it.
 */
export function saveFindings(
  store: string,
  session: SessionId | null,
  { problems, unlisted = 0 }: Pick<VerifyReport, 'problems' | 'unlisted'>,
): boolean {
  const before = readFindings(store)
  // What isn't listed may be in any session.
  const corrupt = new Set(session === null && unlisted === 0 ? [] : before)
  if (session !== null) corrupt.delete(session)
  for (const problem of problems) if (SESSION_ID.test(problem.session)) corrupt.add(sessionId(problem.session))
  const isSame = corrupt.size === before.size && [...corrupt].every((one) => before.has(one))
  return isSame || writeFindings(store, corrupt)
}

/** Forgets sessions that were erased: the same session may be imported again, intact. */
export function forgetFindings(store: string, sessions: readonly SessionId[]): void {
  const before = readFindings(store)
  const corrupt = new Set([...before].filter((one) => !sessions.includes(one)))
  if (corrupt.size < before.size) writeFindings(store, corrupt)
}
