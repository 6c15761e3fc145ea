/** Joining and leaving a team, its state, and the sessions of its history. Secrets go in and never come out. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { sessionId } from '../../base/units.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import type { AccountState } from '../../core/status/status.ts'
import { call, none } from '../../rpc/contract.ts'
import { MAX_TRUST_CHARS } from './settings.ts'
import type { TeamOverview } from './status.ts'
import type { HistoryEntry, TeamState, TeamTestStep } from './team.ts'

const input = v.strictObject({
  name: text(31),
  upstream: text(2_048),
  history: text(2_048),
  ca: text(4_096),
  allowOldNats: v.boolean(),
  /** Public keys of the recorders, a key and a name on each line; '': no matter who signed. */
  trust: text(MAX_TRUST_CHARS),
  /** Absent: keep the stored one. `seed`: of an NKey. `creds`: the content of a credentials file. */
  password: v.optional(text(4_096)),
  seed: v.optional(text(4_096)),
  creds: v.optional(text(16_384)),
  historyPassword: v.optional(text(4_096)),
})
export type TeamInput = v.InferOutput<typeof input>

export const TEAM_CALLS = {
  /** Tries each step without storing anything; a step that failed ends the list. */
  'team.test': call<readonly TeamTestStep[]>()(input),
  /** Stores the address (secrets in the keychain), and follows the team instead of the current source. */
  'team.join': call<AccountState>()(input),
  /**
   * Returns to the saved account, or to the demo market. The address stays stored. Fails with `not-allowed` if options of
   * the program chose the team.
   */
  'team.leave': call<AccountState>()(none),
  /** Sessions of the history that aren't stored here, the newest first. Fails with `not-found` without a history. */
  'team.history': call<readonly HistoryEntry[]>()(none),
  /** Starts a job that copies a session from the history, and verifies it. */
  'team.fetch': call<JobId>()(v.strictObject({ session: v.pipe(text(64), v.transform(sessionId)) })),
} as const

export const TEAM_STREAMS = {
  team: call<TeamState>()(none),
  /** Every two seconds, read from the team's servers. */
  'team.status': call<TeamOverview>()(none),
} as const
