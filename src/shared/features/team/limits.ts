/**
 * Times after which the state of a team is said to have changed, ms. The same numbers are in the Team pane, `tapedeck team`, terminals and the alarms of
 * `packaging/prometheus-alerts.yaml`.
 */
export const TEAM_LIMITS_MS = {
  /** A session whose last frame is younger is being recorded. */
  alive: 5_000,
  /** A recorder that hasn't been heard from for this long is gone, and its shard has none. A standby takes over within 8 s. */
  gone: 15_000,
  /** The history should have everything by then. */
  late: 300_000,
} as const
