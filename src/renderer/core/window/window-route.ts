/** The URL fragment of a page: the replay, workspace or part of a workspace that a window shows. Pure. */

export interface ReplayRoute {
  readonly sessions: readonly string[]
  readonly atMs: number | null
  /** Without the other sessions of their team. */
  readonly alone?: boolean
}

const SESSION = /^[0-9A-Za-z_-]{1,64}$/
const MAX_SESSIONS = 100

/** Parses a fragment such as `#replay=01jbq1a2,01jbq8w4&at=1795240996992`; undefined if it names no replay. */
export function parseReplayRoute(hash: string): ReplayRoute | undefined {
  const params = new URLSearchParams(hash.replace(/^#/, ''))
  const sessions = (params.get('replay') ?? '').split(',').filter((one) => SESSION.test(one))
  if (sessions.length === 0 || sessions.length > MAX_SESSIONS) return undefined
  const at = Number(params.get('at') ?? NaN)
  const route = { sessions, atMs: Number.isFinite(at) && params.has('at') ? at : null }
  return params.has('alone') ? { ...route, alone: true } : route
}

export function replayHash({ sessions, atMs, alone = false }: ReplayRoute): string {
  return `#replay=${sessions.join(',')}${atMs === null ? '' : `&at=${Math.round(atMs)}`}${alone ? '&alone' : ''}`
}

export interface DockRoute {
  readonly workspace?: string
  /** The popped-out part that this window shows. */
  readonly window?: string
}

const ID = /^[a-z0-9][a-z0-9-]{0,39}$/

/** Parses a fragment such as `#workspace=overview&window=window-2`. */
export function parseDockRoute(hash: string): DockRoute {
  const params = new URLSearchParams(hash.replace(/^#/, ''))
  const workspace = params.get('workspace') ?? ''
  const window = params.get('window') ?? ''
  if (!ID.test(workspace)) return {}
  return ID.test(window) ? { workspace, window } : { workspace }
}

export function dockHash({ workspace, window }: { readonly workspace: string; readonly window?: string }): string {
  return `#workspace=${workspace}${window === undefined ? '' : `&window=${window}`}`
}
