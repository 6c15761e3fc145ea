/** Updates of the installed app: the state that a window shows, and the pure step to the next one. */

export const UPDATE_CHANNELS = ['stable', 'beta'] as const

/** An offered version, as described by its publisher in plain text. */
export interface Release {
  readonly version: string
  readonly notes: string
  readonly dateMs: number | null
}

export type UpdateState =
  /** This copy can't be updated here; `why` is a sentence. */
  | { readonly is: 'off'; readonly why: string }
  /** `checkedMs` in UTC ms; null if not checked yet. */
  | { readonly is: 'current'; readonly checkedMs: number | null }
  | { readonly is: 'checking'; readonly checkedMs: number | null }
  | { readonly is: 'downloading'; readonly release: Release; readonly done: number; readonly bytesPerSecond: number }
  /** Verified. Installed when Tapedeck quits, or immediately on request. */
  | { readonly is: 'ready'; readonly release: Release }
  /** Nothing was changed. */
  | { readonly is: 'failed'; readonly message: string; readonly hint: string; readonly atMs: number }

export type UpdateEvent =
  | { readonly is: 'check' }
  | { readonly is: 'none'; readonly atMs: number }
  | { readonly is: 'found'; readonly release: Release }
  | { readonly is: 'progress'; readonly done: number; readonly bytesPerSecond: number }
  | { readonly is: 'verified' }
  | { readonly is: 'failed'; readonly message: string; readonly hint: string; readonly atMs: number }

/** The next state. Events that don't belong to a state (late progress) don't change it. */
export function nextUpdate(state: UpdateState, event: UpdateEvent): UpdateState {
  if (state.is === 'off') return state
  switch (event.is) {
    case 'check':
      return state.is === 'current' || state.is === 'failed'
        ? { is: 'checking', checkedMs: state.is === 'current' ? state.checkedMs : state.atMs }
        : state
    case 'none':
      return state.is === 'checking' ? { is: 'current', checkedMs: event.atMs } : state
    case 'found':
      return state.is === 'checking' ? { is: 'downloading', release: event.release, done: 0, bytesPerSecond: 0 } : state
    case 'progress':
      return state.is === 'downloading'
        ? {
            ...state,
            done: Math.min(1, Math.max(state.done, event.done)),
            bytesPerSecond: event.bytesPerSecond,
          }
        : state
    case 'verified':
      return state.is === 'downloading' ? { is: 'ready', release: state.release } : state
    case 'failed':
      // A verified update stays ready when a later check fails.
      return state.is === 'checking' || state.is === 'downloading'
        ? { is: 'failed', message: event.message, hint: event.hint, atMs: event.atMs }
        : state
  }
}
