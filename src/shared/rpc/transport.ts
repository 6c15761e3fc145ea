/** What a window needs of its terminal: two functions, whatever carries them. */
import type { CallArgs, CallName, CallValue, StreamArgs, StreamName, StreamValue } from '../contracts.ts'
import type { Failure, Result } from '../base/errors.ts'

export interface Transport {
  /** Asks once. Never rejects: a failure, also of the carrier itself, is an envelope. */
  invoke<K extends CallName>(name: K, args: CallArgs<K>): Promise<Result<CallValue<K>>>
  /**
   * Follows a stream. `onValue` gets whole or incremental state as `contract.ts` says, at most once
   * per frame; returning from it gives the sender its next credit. `onEnd` is called once when the
   * terminal ends the stream (bad arguments, shutdown, lost carrier). Returns its own undo.
   */
  subscribe<K extends StreamName>(
    name: K,
    args: StreamArgs<K>,
    onValue: (value: StreamValue<K>) => void,
    onEnd?: (failure: Failure) => void,
  ): () => void
  /**
   * Whether the carrier is up: calls back at once when that is known, then on each change. `refused` is
   * there when the terminal turned this window away for good: it says why and what to do, and no
   * further try is made. Returns its own undo.
   */
  onLink(listener: (up: boolean, refused?: Failure) => void): () => void
}

/** Frames that travel over a MessagePort (structured clone) or a WebSocket (JSON text). */
export type WindowFrame =
  | { readonly t: 'call'; readonly id: number; readonly name: string; readonly args: unknown }
  | { readonly t: 'open'; readonly id: number; readonly name: string; readonly args: unknown }
  /** These streams may give another value. All of a frame go together: each frame of a line has its price. */
  | { readonly t: 'credit'; readonly ids: readonly number[] }
  | { readonly t: 'close'; readonly id: number }

export type TerminalFrame =
  | { readonly t: 'result'; readonly id: number; readonly result: Result<unknown> }
  /** What streams have new, by their ids, each once. */
  | { readonly t: 'values'; readonly values: readonly (readonly [id: number, value: unknown])[] }
  | { readonly t: 'end'; readonly id: number; readonly error: Failure }

/**
 * The sending side of a stream: pulled, never pushed, so there is no queue to grow. The source calls
 * `wake` when it has something new; the carrier calls `take` when it has credit, at most once a frame.
 */
export interface StreamSource<T> {
  /** What the window does not know yet, conflated; undefined when nothing is new. */
  take(): T | undefined
  close(): void
}

/** Between page and preload, by `window.postMessage`: a request, and the offer that brings the port. */
export const PORT_REQUEST = 'tapedeck:port?'
export const PORT_OFFER = 'tapedeck:port'
/** Between preload and terminal, by Electron's IPC: the same, on a channel. */
export const PORT_CHANNEL = 'tapedeck:port'
