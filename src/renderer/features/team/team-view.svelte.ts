/** The team as a window sees it. */
import type { UnixMs } from '../../../shared/base/units.ts'
import type { TeamState } from '../../../shared/features/team/team.ts'
import { teamStatus } from './team-labels.ts'

/** The fields of the team's settings as typed. */
export interface TeamDraft {
  form: { name: string; upstream: string; history: string; ca: string; allowOldNats: boolean; trust: string }
  secrets: { password: string; seed: string; creds: string; historyPassword: string }
}

export class TeamView {
  /** Null: this terminal isn't on a team. */
  state = $state.raw<TeamState>(null)

  /** What was typed into the settings and not used yet, while the dialog shows other settings. */
  draft: TeamDraft | null = null

  /** What the status bar says of the team; null: this terminal isn't on one. `lag` and `timeOf` as in `teamStatus`. */
  summary(lag: (ms: number | null) => string, timeOf: (ms: UnixMs) => string): ReturnType<typeof teamStatus> | null {
    return this.state === null ? null : teamStatus(this.state, lag(this.state.lagMs), timeOf)
  }
}
