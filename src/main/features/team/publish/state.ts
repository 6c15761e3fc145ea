/**
 * What publishing does next, as a pure state machine. One operation runs at a time. Each session has a subject of its own
 * in the log, and every publish names the message it follows, so a repeated or late one is refused by the server. After
 * any doubt, the session's last message is read back and publishing goes on behind it.
 */
import { type ErrorCode } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'

/** How far the log has a session. `sequence`: its last message in the stream; 0: none. */
export interface Cursor {
  readonly seq: number
  readonly sequence: number
}

export interface SessionWork {
  readonly id: SessionId
  /** The team knows about it. */
  readonly isAnnounced: boolean
  /** Null until it has been read back from the log. */
  readonly cursor: Cursor | null
  /** The store may have flushes behind the cursor that aren't being published already. */
  readonly hasMore: boolean
  /** It has ended, and the store has its close record. */
  readonly isClosed: boolean
}

/** What keeps publishing from going on. */
export interface Trouble {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string | undefined
  /** The log has other messages of the session than the store. */
  readonly isForeign?: true
}

export interface PublishState {
  readonly isConnected: boolean
  /** Streams and buckets exist. */
  readonly isPrepared: boolean
  /** In the order in which they began. */
  readonly sessions: readonly SessionWork[]
  /** The operation that is running, or the wait before the next one. */
  readonly busy: Operation['do'] | 'wait' | null
  /** Failures in a row. */
  readonly failures: number
  /** Reported, and not over yet. */
  readonly trouble: Trouble | null
}

export const IDLE: PublishState = {
  isConnected: false,
  isPrepared: false,
  sessions: [],
  busy: null,
  failures: 0,
  trouble: null,
}

/** Each ends with exactly one event. */
export type Operation =
  | { readonly do: 'connect' }
  | { readonly do: 'prepare' }
  | { readonly do: 'announce'; readonly session: SessionId }
  | { readonly do: 'locate'; readonly session: SessionId }
  | { readonly do: 'publish'; readonly session: SessionId; readonly cursor: Cursor }
  /** Announces the end of a session that is in the log as a whole. */
  | { readonly do: 'finish'; readonly session: SessionId; readonly lastSeq: number }

export type Effect =
  | Operation
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'stop-waiting' }
  /** Null: the trouble is over. */
  | { readonly do: 'report'; readonly trouble: Trouble | null }
  /** This session can't be published. The others can. */
  | { readonly do: 'give-up'; readonly session: SessionId; readonly trouble: Trouble }

export type PublishEvent =
  /** Connects, even if there is nothing to publish yet. */
  | { readonly is: 'started' }
  /** A session to publish. `isClosed`: it has ended already. */
  | { readonly is: 'session'; readonly session: SessionId; readonly isClosed: boolean }
  | { readonly is: 'committed'; readonly session: SessionId }
  | { readonly is: 'closed'; readonly session: SessionId }
  /** The history has all of it. */
  | { readonly is: 'released'; readonly session: SessionId }
  /** The team doesn't have its description. */
  | { readonly is: 'undescribed'; readonly session: SessionId }
  /** A bucket is gone. */
  | { readonly is: 'unprepared' }
  /** The connection was lost, or is there again. */
  | { readonly is: 'link'; readonly isUp: boolean }
  /** The connection was closed for good, so a new one is needed. */
  | { readonly is: 'lost' }
  | { readonly is: 'waited' }
  // Ends of operations:
  | { readonly is: 'connected' }
  /** `isNew`: a stream or bucket may have been made again, so that the team doesn't know the sessions. */
  | { readonly is: 'prepared'; readonly isNew: boolean }
  | { readonly is: 'announced'; readonly session: SessionId }
  | { readonly is: 'located'; readonly session: SessionId; readonly cursor: Cursor }
  | { readonly is: 'published'; readonly session: SessionId; readonly cursor: Cursor }
  /** The store has nothing behind the cursor. */
  | { readonly is: 'caught-up'; readonly session: SessionId }
  /** The log has another last message than expected. Nothing was stored. */
  | { readonly is: 'conflict'; readonly session: SessionId }
  | { readonly is: 'finished'; readonly session: SessionId }
  /** The store doesn't have the session. */
  | { readonly is: 'erased'; readonly session: SessionId }
  /** The log dropped frames that the history needs, so publishing starts before them. `ends`: ends a publish. */
  | { readonly is: 'dropped'; readonly session: SessionId; readonly ends?: true }
  /** `session`: the one that the operation was about. */
  | { readonly is: 'failed'; readonly session: SessionId | null; readonly trouble: Trouble }

export interface Step {
  readonly state: PublishState
  readonly effects: readonly Effect[]
}

const FIRST_WAIT_MS = 250
/** A cluster that chooses a new leader should be found soon after. */
const LONGEST_WAIT_MS = 2_000
/** Between attempts at what a person has to put right. */
const BLOCKED_WAIT_MS = 30_000
/** Conflicts in a row that count as trouble: someone else publishes this session. */
const MAX_CONFLICTS = 8

export function step(state: PublishState, event: PublishEvent): Step {
  switch (event.is) {
    case 'started':
      return proceed(state)
    case 'session': {
      if (state.sessions.some(({ id }) => id === event.session)) return proceed(state)
      const { session: id, isClosed } = event
      const added = { id, isAnnounced: false, cursor: null, hasMore: true, isClosed }
      return proceed({ ...state, sessions: [...state.sessions, added] })
    }
    case 'committed':
      return proceed(change(state, event.session, { hasMore: true }))
    case 'closed':
      return proceed(change(state, event.session, { isClosed: true, hasMore: true }))
    case 'released':
      return proceed(remove(state, event.session))
    case 'undescribed':
      return proceed(change(state, event.session, { isAnnounced: false }))
    case 'unprepared':
      return proceed({ ...state, isPrepared: false })
    case 'dropped': {
      const doubted = change(state, event.session, { cursor: null, hasMore: true })
      return proceed(event.ends === true ? { ...doubted, busy: null } : doubted)
    }
    case 'erased':
      return proceed({ ...remove(state, event.session), busy: null })
    case 'link':
      if (!event.isUp) return { state, effects: [] }
      // An operation that is running fails by itself. A wait is over once the connection is there again, and failures of the one
      // before say nothing about how long to wait for this one.
      if (state.busy !== 'wait') return { state: { ...state, failures: 0 }, effects: [] }
      return withEffect({ do: 'stop-waiting' }, proceed({ ...state, busy: null, failures: 0 }))
    case 'lost':
      return proceed({ ...state, isConnected: false })
    case 'waited':
      return state.busy === 'wait' ? proceed({ ...state, busy: null }) : { state, effects: [] }
    case 'connected':
      return succeeded({ ...state, isConnected: true })
    case 'prepared': {
      const sessions = event.isNew
        ? state.sessions.map((one) => ({ ...one, isAnnounced: false, cursor: null }))
        : state.sessions
      return succeeded({ ...state, sessions, isPrepared: true })
    }
    case 'announced':
      return succeeded(change(state, event.session, { isAnnounced: true }))
    case 'located':
      return proceed({ ...change(state, event.session, { cursor: event.cursor, hasMore: true }), busy: null })
    case 'published':
      return succeeded(change(state, event.session, { cursor: event.cursor, hasMore: true }))
    case 'caught-up':
      return succeeded(state)
    case 'conflict': {
      const located = { ...change(state, event.session, { cursor: null }), busy: null, failures: state.failures + 1 }
      return located.failures <= MAX_CONFLICTS ? proceed(located) : wait(located, CONFLICTS, BLOCKED_WAIT_MS)
    }
    case 'finished':
      return succeeded(remove(state, event.session))
    case 'failed':
      return failed(state, event.session, event.trouble)
  }
}

const CONFLICTS: Trouble = {
  code: 'busy',
  message: 'Another program publishes the same session.',
  hint: 'Stop the other recorder that uses this store.',
}

function failed(state: PublishState, session: SessionId | null, trouble: Trouble): Step {
  const failures = state.failures + 1
  const idle = { ...state, busy: null, failures }
  const ms = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10), LONGEST_WAIT_MS)
  switch (trouble.code) {
    case 'timeout':
      // A stream without a leader doesn't reply, so the request itself was the wait.
      return wait(doubt(idle, session), trouble, FIRST_WAIT_MS)
    case 'offline':
    // A cluster that chooses a leader replies with errors of its own.
    case 'server-error':
      return wait(doubt(idle, session), trouble, ms)
    case 'not-found': {
      // A stream or bucket is gone, or has no leader just now: look, make what is gone, and read back what is there.
      const sessions = idle.sessions.map((one) => ({ ...one, cursor: null }))
      return wait({ ...idle, sessions, isPrepared: false }, trouble, ms)
    }
    case 'store-damaged':
    case 'bad-arguments':
    case 'too-large':
    case 'not-allowed':
      if (session !== null) return withEffect({ do: 'give-up', session, trouble }, proceed(remove(idle, session)))
      return wait(idle, trouble, BLOCKED_WAIT_MS)
    default:
      return wait(doubt(idle, session), trouble, BLOCKED_WAIT_MS)
  }
}

/** Whether a message of the session was stored is unknown. */
const doubt = (state: PublishState, session: SessionId | null): PublishState =>
  session === null ? state : change(state, session, { cursor: null })

/** Waits before the next attempt. Reports trouble when it begins, and when it becomes another one. */
function wait(state: PublishState, trouble: Trouble, ms: number): Step {
  const isNew = state.trouble?.code !== trouble.code
  const waiting: Step = { state: { ...state, busy: 'wait', trouble }, effects: [{ do: 'wait', ms }] }
  return isNew ? withEffect({ do: 'report', trouble }, waiting) : waiting
}

function succeeded(state: PublishState): Step {
  const isOver = state.trouble !== null && state.isConnected && state.isPrepared
  const idle = { ...state, busy: null, failures: 0, trouble: isOver ? null : state.trouble }
  return isOver ? withEffect({ do: 'report', trouble: null }, proceed(idle)) : proceed(idle)
}

/** Starts the next operation if none is running. */
function proceed(state: PublishState): Step {
  if (state.busy !== null) return { state, effects: [] }
  const operation = next(state)
  if (operation === null) return { state, effects: [] }
  // What is committed from now on may be more than the operation finds.
  const started = operation.do === 'publish' ? change(state, operation.session, { hasMore: false }) : state
  return { state: { ...started, busy: operation.do }, effects: [operation] }
}

/** The oldest session that has something to do comes first. */
function next(state: PublishState): Operation | null {
  if (!state.isConnected) return { do: 'connect' }
  if (!state.isPrepared) return { do: 'prepare' }
  for (const { id, isAnnounced, cursor, hasMore, isClosed } of state.sessions) {
    if (!isAnnounced) return { do: 'announce', session: id }
    if (cursor === null) return { do: 'locate', session: id }
    if (hasMore) return { do: 'publish', session: id, cursor }
    if (isClosed) return { do: 'finish', session: id, lastSeq: cursor.seq }
  }
  return null
}

const withEffect = (effect: Effect, { state, effects }: Step): Step => ({ state, effects: [effect, ...effects] })

function change(state: PublishState, session: SessionId, patch: Partial<SessionWork>): PublishState {
  return { ...state, sessions: state.sessions.map((one) => (one.id === session ? { ...one, ...patch } : one)) }
}

const remove = (state: PublishState, session: SessionId): PublishState => ({
  ...state,
  sessions: state.sessions.filter(({ id }) => id !== session),
})
