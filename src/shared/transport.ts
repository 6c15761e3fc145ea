/** What a window needs from its terminal, independent of what carries it. */
import type { CallArgs, CallName, CallValue, StreamArgs, StreamName, StreamValue } from './contracts.ts'
import type { Failure, Result } from './base/errors.ts'

export interface Transport {
  /** Calls once. Never rejects: a failure, even of the carrier, is a value. */
  invoke<K extends CallName>(name: K, args: CallArgs<K>): Promise<Result<CallValue<K>>>
  /**
   * Follows a stream. `onValue` gets full or incremental state, as the stream's table says, at most once per frame;
   * returning from it grants the sender its next credit. `onEnd` is called once if the terminal ends the stream (bad
   * arguments, shutdown, lost carrier). Returns a function that unsubscribes.
   */
  subscribe<K extends StreamName>(
    name: K,
    args: StreamArgs<K>,
    onValue: (value: StreamValue<K>) => void,
    onEnd?: (failure: Failure) => void,
  ): () => void
  /**
   * Reports whether the carrier is connected, as soon as that is known and on each change. `refused` is set if the
   * terminal rejected this window for good: it says why and what to do, and the window doesn't retry. Returns a
   * function that removes the listener.
   */
  onLink(listener: (up: boolean, refused?: Failure) => void): () => void
}
