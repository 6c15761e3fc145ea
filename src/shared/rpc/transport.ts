/** What crosses between a window and its terminal: frames, and the sending side of a stream. */
import type { Failure, Result } from '../base/errors.ts'

/** Frames on a MessagePort (structured clone) or a WebSocket (JSON text). */
export type WindowFrame =
  | { readonly t: 'call'; readonly id: number; readonly name: string; readonly args: unknown }
  | { readonly t: 'open'; readonly id: number; readonly name: string; readonly args: unknown }
  /** These streams may send another value. Credits of one animation frame are sent together to save frames. */
  | { readonly t: 'credit'; readonly ids: readonly number[] }
  | { readonly t: 'close'; readonly id: number }

export type TerminalFrame =
  | { readonly t: 'result'; readonly id: number; readonly result: Result<unknown> }
  /** New values by stream id, at most one per stream. */
  | { readonly t: 'values'; readonly values: readonly (readonly [id: number, value: unknown])[] }
  | { readonly t: 'end'; readonly id: number; readonly error: Failure }

/**
 * The sending side of a stream. Windows pull, so no queue can grow: the source calls `wake` when it has something new,
 * and the carrier calls `take` when it has credit, at most once per frame.
 */
export interface StreamSource<T> {
  /** Everything the window doesn't know yet, conflated; undefined if nothing is new. */
  take(): T | undefined
  close(): void
}

/** Sent between page and preload by `window.postMessage`: a request, and the offer that carries the port. */
export const PORT_REQUEST = 'tapedeck:port?'
export const PORT_OFFER = 'tapedeck:port'
/** Sent between preload and terminal on this channel of Electron's IPC. */
export const PORT_CHANNEL = 'tapedeck:port'
