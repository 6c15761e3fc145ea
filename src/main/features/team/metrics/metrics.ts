/** The metrics of a process of a team. */
import { createMetrics, type Metrics } from '../../../command-line/metrics/metrics.ts'
import { TEAM_METRICS } from './table.ts'

export type TeamMetrics = Metrics<typeof TEAM_METRICS>
export type MetricsRole = 'recorder' | 'archiver' | 'terminal'

/** An empty set. Each value also has the labels `team` and `role`. */
export const createTeamMetrics = (about: { readonly team: string; readonly role: MetricsRole }): TeamMetrics =>
  createMetrics(TEAM_METRICS, 'tapedeck_team_', about)
