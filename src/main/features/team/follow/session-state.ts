/**
 * How a terminal follows one session of a team, as a pure function: (state, event) → [state, effects]. It has no server,
 * store or timer; `session-follower.ts` runs the effects and passes in what happens as events.
 *
 * It listens before it reads: frames that arrive meanwhile wait in a bounded buffer, so that reading the log always ends
 * at a frame that it has or knows to have dropped. What the log no longer has is read from the history.
 */
import type { Reason } from '../../../../shared/core/status/status.ts'
import type {
  HeldPiece,
  MissingSeqs,
  Phase,
  Piece,
  SessionEffect,
  SessionEvent,
  SessionState,
} from './session-model.ts'

/** Frames that wait while the log is read, or that aren't stored yet, bytes. Beyond it they are read from the log again. */
export const MAX_WAITING_BYTES = 16 << 20
/** How long to wait before the next attempt, ms. */
const RETRY_MS = 5_000

type Step = readonly [SessionState, readonly SessionEffect[]]

export const newSessionState = (options: { isConnected: boolean; hasHistory: boolean }): Step => [
  {
    ...options,
    phase: { is: 'opening' },
    takenSeq: 0,
    storedSeq: 0,
    storingBytes: 0,
    buffer: null,
    bufferBytes: 0,
    hasDropped: false,
    endSeq: null,
    missing: null,
  },
  [{ do: 'open' }],
]

/** Whether the session needs nothing more. */
export const isOver = ({ phase }: SessionState): boolean => phase.is === 'ended' || phase.is === 'stopped'

export function reduceSession(state: SessionState, event: SessionEvent): Step {
  if (isOver(state)) return [state, []]
  switch (event.is) {
    case 'opened':
      return onOpened(state, event.lastSeq, event.isComplete === true)
    case 'connected':
      return onConnected(state)
    case 'disconnected':
      return onDisconnected(state)
    case 'frame':
      return onFrame(state, event.piece)
    case 'read':
      return onRead(state, event.piece)
    case 'read-end':
      return state.phase.is === 'reading' ? onReadEnd(state, state.phase) : [state, []]
    case 'read-failed':
      return state.phase.is === 'reading' ? wait(state, event.why, false) : [state, []]
    case 'log-end':
      return state.phase.is === 'live' && event.seq > state.takenSeq ? read(state, 'log') : [state, []]
    case 'stored':
      return onStored(state, event.seq, event.bytes)
    case 'refused':
      return onRefused(state, event.why, event.final)
    case 'closed':
      return onClosed({ ...state, endSeq: event.lastSeq })
    case 'copy-ended':
      return state.phase.is === 'ending' ? [{ ...state, phase: { is: 'ended' } }, []] : [state, []]
    case 'retry':
      return onRetry(state)
  }
}

function onOpened(state: SessionState, lastSeq: number, isComplete: boolean): Step {
  if (state.phase.is !== 'opening') return [state, []]
  const opened = { ...state, takenSeq: lastSeq, storedSeq: lastSeq, storingBytes: 0 }
  if (isComplete) return [{ ...withoutBuffer(opened), phase: { is: 'ended' } }, []]
  return catchUp(opened)
}

/** Reads what is missing, or ends the copy if nothing is. */
function catchUp(state: SessionState): Step {
  if (isComplete(state)) return end(state)
  return state.isConnected ? read(state, 'log') : [{ ...withoutBuffer(state), phase: { is: 'away' } }, []]
}

const isComplete = ({ endSeq, storedSeq }: SessionState): boolean => endSeq !== null && storedSeq >= endSeq

const end = (state: SessionState): Step => [
  { ...withoutBuffer(state), phase: { is: 'ending' } },
  state.phase.is === 'reading' ? [{ do: 'stop-reading' }, { do: 'end' }] : [{ do: 'end' }],
]

const withoutBuffer = (state: SessionState): SessionState => ({
  ...state,
  buffer: null,
  bufferBytes: 0,
  hasDropped: false,
})

/** Starts reading after the last seq taken. Frames that arrived before are still in the buffer. */
function read(state: SessionState, from: 'log' | 'history'): Step {
  const phase = { is: 'reading', from, startedAfter: state.takenSeq } as const
  return [
    // A drop before a read doesn't matter: the log has what was dropped.
    { ...state, phase, hasDropped: from === 'log' ? false : state.hasDropped },
    [{ do: 'read', from, fromSeq: state.takenSeq + 1 }],
  ]
}

function onConnected(state: SessionState): Step {
  const connected = { ...state, isConnected: true }
  return state.phase.is === 'away' ? catchUp(connected) : [connected, []]
}

function onDisconnected(state: SessionState): Step {
  const away = { ...withoutBuffer(state), isConnected: false }
  switch (state.phase.is) {
    case 'reading':
      return [{ ...away, phase: { is: 'away' } }, [{ do: 'stop-reading' }]]
    case 'live':
      return [{ ...away, phase: { is: 'away' } }, []]
    case 'waiting':
      // Opening the copy needs no connection, and its retry is on its way.
      return [state.phase.reopen ? away : { ...away, phase: { is: 'away' } }, []]
    case 'opening':
    case 'away':
    case 'ending':
    case 'ended':
    case 'stopped':
      return [away, []]
  }
}

function onFrame(state: SessionState, piece: Piece): Step {
  switch (state.phase.is) {
    case 'live':
      return takeLive(state, piece)
    case 'opening':
    case 'reading':
    case 'waiting':
      return [hold(state, piece), []]
    case 'away':
    case 'ending':
    case 'ended':
    case 'stopped':
      return [state, []]
  }
}

function takeLive(state: SessionState, piece: Piece): Step {
  if (piece.lastSeq <= state.takenSeq) return [state, []]
  // Frames are missing, or the disk can't keep up: the log has them all.
  if (piece.firstSeq > state.takenSeq + 1 || state.storingBytes + piece.bytes > MAX_WAITING_BYTES)
    return read(hold(state, piece), 'log')
  return [take(state, piece), [{ do: 'take', piece }]]
}

const take = (state: SessionState, { lastSeq, bytes }: Piece): SessionState => ({
  ...state,
  takenSeq: lastSeq,
  storingBytes: state.storingBytes + bytes,
  missing: null,
})

/** Holds a frame until reading has come that far, or drops all of them if there are too many. */
function hold(state: SessionState, piece: Piece): SessionState {
  if (piece.lastSeq <= state.takenSeq) return state
  const bufferBytes = state.bufferBytes + piece.bytes
  if (bufferBytes > MAX_WAITING_BYTES) return { ...withoutBuffer(state), hasDropped: true }
  return { ...state, buffer: { piece, before: state.buffer }, bufferBytes }
}

function onRead(state: SessionState, piece: Piece): Step {
  const { phase } = state
  if (phase.is !== 'reading' || piece.lastSeq <= state.takenSeq) return [state, []]
  if (piece.firstSeq <= state.takenSeq + 1) return [take(state, piece), [{ do: 'take', piece }]]
  const missing = { fromSeq: state.takenSeq + 1, toSeq: piece.firstSeq - 1 }
  if (phase.from === 'log' && state.hasHistory) {
    const [reading, effects] = read({ ...state, missing }, 'history')
    return [reading, effects]
  }
  return miss(state, missing)
}

/** Waits for seqs that nobody has: an archiver or a recorder may still deliver them. */
function miss(state: SessionState, missing: MissingSeqs): Step {
  const why = missingReason(missing, state.hasHistory)
  const [waiting, effects] = wait({ ...state, missing }, why, false)
  return [waiting, [{ do: 'stop-reading' }, ...effects]]
}

function missingReason({ fromSeq, toSeq }: MissingSeqs, hasHistory: boolean): Reason {
  const which = fromSeq === toSeq ? `seq ${fromSeq}` : `seq ${fromSeq} to ${toSeq}`
  return {
    code: 'not-found',
    message: hasHistory
      ? `Neither the team's log nor its history has ${which} of this session.`
      : `The team's log no longer has ${which} of this session.`,
    hint: hasHistory
      ? 'Tapedeck tries again until the archiver has stored it.'
      : 'Set the team’s history, so that Tapedeck can read it from there.',
    closeCode: null,
  }
}

function onReadEnd(state: SessionState, phase: Extract<Phase, { is: 'reading' }>): Step {
  const { from, startedAfter } = phase
  if (from === 'history') {
    // The log again: it may have what the history doesn't, and the frames since.
    if (state.takenSeq > startedAfter || state.missing === null) return read(state, 'log')
    return miss(state, state.missing)
  }
  if (state.hasDropped) return read(state, 'log')
  const [joined, effects] = join(state)
  if (joined.phase.is === 'reading') return [joined, effects]
  if (isComplete(joined)) return end(joined)
  const { endSeq, takenSeq } = joined
  if (endSeq === null || takenSeq >= endSeq) return [joined, effects]
  // It is over, so nothing will arrive any more, and the log doesn't have its end.
  const missing = { fromSeq: takenSeq + 1, toSeq: endSeq }
  const [next, more] = state.hasHistory ? read({ ...joined, missing }, 'history') : miss(joined, missing)
  return [next, [...effects, ...more]]
}

/** Takes the buffer and goes live, or reads the log again where the buffer doesn't follow. */
function join(state: SessionState): Step {
  let joined = withoutBuffer(state)
  const effects: SessionEffect[] = []
  const pieces = inOrder(state.buffer)
  for (const [i, piece] of pieces.entries()) {
    if (piece.lastSeq <= joined.takenSeq) continue
    if (piece.firstSeq > joined.takenSeq + 1 || joined.storingBytes + piece.bytes > MAX_WAITING_BYTES) {
      const [reading, more] = read(pieces.slice(i).reduce(hold, joined), 'log')
      return [reading, [...effects, ...more]]
    }
    joined = take(joined, piece)
    effects.push({ do: 'take', piece })
  }
  return [{ ...joined, phase: { is: 'live' }, missing: null }, effects]
}

function inOrder(buffer: HeldPiece | null): readonly Piece[] {
  const pieces: Piece[] = []
  for (let held = buffer; held !== null; held = held.before) pieces.push(held.piece)
  return pieces.reverse()
}

function onStored(state: SessionState, seq: number, bytes: number): Step {
  const stored = {
    ...state,
    storedSeq: Math.max(state.storedSeq, seq),
    storingBytes: Math.max(0, state.storingBytes - bytes),
  }
  const canEnd = state.phase.is === 'live' || state.phase.is === 'reading' || state.phase.is === 'away'
  return canEnd && isComplete(stored) ? end(stored) : [stored, []]
}

function onRefused(state: SessionState, why: Reason, final: boolean): Step {
  const stop: readonly SessionEffect[] = state.phase.is === 'reading' ? [{ do: 'stop-reading' }] : []
  if (final) return [{ ...withoutBuffer(state), phase: { is: 'stopped', why }, storingBytes: 0 }, stop]
  // What was passed on after the failure can't be stored, so it is read again.
  const back = { ...withoutBuffer(state), takenSeq: state.storedSeq, storingBytes: 0 }
  const [waiting, effects] = wait(back, why, true)
  return [waiting, [...stop, ...effects]]
}

const wait = (state: SessionState, why: Reason, reopen: boolean): Step => [
  { ...state, phase: { is: 'waiting', why, reopen } },
  [{ do: 'retry-after', ms: RETRY_MS }],
]

function onClosed(state: SessionState): Step {
  switch (state.phase.is) {
    case 'live':
      return isComplete(state) ? end(state) : state.takenSeq < (state.endSeq ?? 0) ? read(state, 'log') : [state, []]
    case 'away':
      return isComplete(state) ? end(state) : [state, []]
    case 'opening':
    case 'reading':
    case 'waiting':
    case 'ending':
    case 'ended':
    case 'stopped':
      return [state, []]
  }
}

function onRetry(state: SessionState): Step {
  if (state.phase.is !== 'waiting') return [state, []]
  return state.phase.reopen ? [{ ...state, phase: { is: 'opening' } }, [{ do: 'open' }]] : catchUp(state)
}
