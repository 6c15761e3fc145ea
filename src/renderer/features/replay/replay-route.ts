/** The part of a page's address that says which replay a window of its own shows. Pure. */

export interface ReplayRoute {
  readonly sessions: readonly string[]
  readonly atMs: number | null
}

const SESSION = /^[0-9A-Za-z_-]{1,64}$/
const MOST_SESSIONS = 100

/** Reads a fragment such as `#replay=01jbq1a2,01jbq8w4&at=1795240996992`; undefined: it names none. */
export function parseReplayRoute(hash: string): ReplayRoute | undefined {
  const params = new URLSearchParams(hash.replace(/^#/, ''))
  const sessions = (params.get('replay') ?? '').split(',').filter((one) => SESSION.test(one))
  if (sessions.length === 0 || sessions.length > MOST_SESSIONS) return undefined
  const at = Number(params.get('at') ?? NaN)
  return { sessions, atMs: Number.isFinite(at) && params.has('at') ? at : null }
}

export function replayHash({ sessions, atMs }: ReplayRoute): string {
  return `#replay=${sessions.join(',')}${atMs === null ? '' : `&at=${Math.round(atMs)}`}`
}
