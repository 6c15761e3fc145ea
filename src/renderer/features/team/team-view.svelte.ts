/** The team as a window sees it. */
import type { TeamState } from '../../../shared/features/team/team.ts'

export class TeamView {
  /** Null: this terminal isn't on a team. */
  state = $state.raw<TeamState>(null)
}
