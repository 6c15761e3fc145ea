/** Whether a recorder or terminal does what it was started for, and if not, why. Pure. */
import { withSchema } from '../../base/json-schema.ts'
import { countText } from '../../../shared/base/count-text.ts'
import type { FeedId } from '../../../shared/base/units.ts'
import type { FeedStatus, StatusState } from '../../../shared/core/status/status.ts'

/** One thing that `/healthz` looks at. `text` says what is wrong, or how it is. */
export interface HealthCheck {
  readonly check: 'recording' | 'feeds' | 'messages' | 'disk' | 'log' | 'history'
  readonly ok: boolean
  readonly text: string
  readonly [fact: string]: string | number | boolean | null
}

/** The body of `/healthz`. */
export interface Health {
  readonly schema: string
  readonly ok: boolean
  readonly checks: readonly HealthCheck[]
}

/** Less free space than this isn't enough to keep recording for long, bytes. */
const LEAST_FREE_BYTES = 100_000_000

/** The health of a process that waits for work, such as a recorder in standby. */
export const STANDBY = healthOf([{ check: 'recording', ok: true, text: 'Waiting in standby.' }])

/** The health of any other process before and after it does its work. */
export const IDLE = healthOf([{ check: 'recording', ok: false, text: 'Not recording: starting or closing.' }])

export function healthOf(checks: readonly HealthCheck[]): Health {
  return withSchema('health', { ok: checks.every(({ ok }) => ok), checks })
}

/** `wanted`: feeds that should be open; null: those that have connections. */
export function checkHealth(status: StatusState, wanted: readonly FeedId[] | null): Health {
  const feeds = status.feeds.filter(({ feed, state }) =>
    wanted === null ? state.is !== 'idle' : wanted.includes(feed),
  )
  return healthOf([checkRecording(status), checkFeeds(feeds), checkMessages(feeds, status.nowMs), checkDisk(status)])
}

function checkRecording({ recorder }: StatusState): HealthCheck {
  const check = 'recording'
  switch (recorder.is) {
    case 'recording':
      return { check, ok: true, text: 'Recording.', session: recorder.session, since_ms: recorder.sinceMs }
    case 'off':
      return { check, ok: true, text: 'Recording is off.' }
    case 'broken':
    case 'paused': {
      const { why, lost, sinceMs } = recorder
      return { check, ok: false, text: `${why.message} ${why.hint}`.trim(), code: why.code, lost, since_ms: sinceMs }
    }
  }
}

const isOpen = ({ state }: FeedStatus): boolean => state.is === 'open' || state.is === 'stale'

function checkFeeds(feeds: readonly FeedStatus[]): HealthCheck {
  const open = feeds.filter(isOpen).length
  const why = feeds
    .filter((one) => !isOpen(one))
    .map(({ feed, state }) => `${feed}: ${'why' in state ? state.why.message : 'Connecting.'}`)
  const missing = feeds.filter(isOpen).flatMap(({ feed, missing }) => missing.map((symbol) => `${feed}:${symbol}`))
  if (missing.length > 0) why.push(`The service hasn’t confirmed ${missing.slice(0, 10).join(', ')}.`)
  return {
    check: 'feeds',
    ok: why.length === 0,
    text: [`${open} of ${countText(feeds.length, 'feed')} open.`, ...why].join(' '),
    open,
    wanted: feeds.length,
    missing_symbols: missing.length,
  }
}

/** A quiet market is healthy, so this reports an age and never fails: connections that are dead are closed by pings. */
function checkMessages(feeds: readonly FeedStatus[], nowMs: number): HealthCheck {
  const last = Math.max(...feeds.map(({ lastMessageMs }) => lastMessageMs ?? -Infinity))
  if (last === -Infinity) return { check: 'messages', ok: true, text: 'No message yet.', age_seconds: null }
  const age = Math.max(0, nowMs - last) / 1_000
  return { check: 'messages', ok: true, text: `The last message came ${age.toFixed(1)} s ago.`, age_seconds: age }
}

function checkDisk({ store: { freeBytes } }: StatusState): HealthCheck {
  const check = 'disk'
  // The free space is known after the first write, and not every file system reports it.
  if (freeBytes === 0) return { check, ok: true, text: 'The free space is unknown.', free_bytes: null }
  const ok = freeBytes >= LEAST_FREE_BYTES
  const text = `${Math.floor(freeBytes / 1e6)} MB free${ok ? '.' : `, less than ${LEAST_FREE_BYTES / 1e6} MB.`}`
  return { check, ok, text, free_bytes: freeBytes }
}
