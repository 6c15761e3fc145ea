/** The replays of a terminal: each a view of its own over recordings of one source. */
import type { CallArgs } from '../../shared/contract.ts'
import { CodedError } from '../../shared/errors.ts'
import type { ReplayBookmark, ReplayId, ReplaySpeed, ReplayState, ReplayTimeline } from '../../shared/replay.ts'
import type { StreamSource } from '../../shared/transport.ts'

/** What windows do with replays. Whatever names one that is not open fails with `not-found`. */
export interface Replays {
  /** Opens recordings of one source; `atMs` null: at the start. */
  open(sessions: readonly string[], atMs: number | null): Promise<ReplayState>
  /** Ends it and its streams; one that is not open is left so. */
  close(id: ReplayId): Promise<void>
  play(id: ReplayId, on: boolean): void
  speed(id: ReplayId, speed: ReplaySpeed): void
  step(args: CallArgs<'replay.step'>): Promise<ReplayState>
  seek(id: ReplayId, to: CallArgs<'replay.seek'>['to']): Promise<ReplayState>
  options(args: CallArgs<'replay.options'>): void
  timeline(args: CallArgs<'replay.timeline'>): Promise<ReplayTimeline>
  stream(args: { readonly id: ReplayId }, wake: () => void): StreamSource<ReplayState>
  /** The replay's clock, UTC ms; null for `live`. Throws `not-found`. */
  instantOf(view: string): number | null
  /** Of one session, or of all; oldest first. */
  bookmarks(session: string | null): Promise<readonly ReplayBookmark[]>
  addBookmark(args: CallArgs<'bookmarks.add'>): Promise<ReplayBookmark>
  removeBookmark(bookmark: number): Promise<void>
}

/** No replay is open. */
export function createReplays(): Replays {
  const unknown = (id: ReplayId): never => {
    throw new CodedError('not-found', `There is no replay "${id}".`, { hint: 'Open the session again.' })
  }
  return {
    open: async ([session = '']) => unknown(session),
    close: async () => undefined,
    play: unknown,
    speed: unknown,
    step: async ({ id }) => unknown(id),
    seek: async (id) => unknown(id),
    options: ({ id }) => unknown(id),
    timeline: async ({ id }) => unknown(id),
    stream: ({ id }) => unknown(id),
    instantOf: (view) => (view === 'live' ? null : unknown(view)),
    bookmarks: async () => [],
    addBookmark: async ({ session }) => unknown(session),
    removeBookmark: async () => undefined,
  }
}
