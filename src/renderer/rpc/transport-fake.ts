/**
 * A transport without a carrier, for tests of the window: calls and streams go straight to their handlers, with the
 * same credits and the same failures.
 */
import type { StreamName } from '../../shared/contracts.ts'
import { toFailure, type Failure, type Result } from '../../shared/base/errors.ts'
import type { StreamSource, Transport } from '../../shared/rpc/transport.ts'

export interface FakeTerminal {
  call(name: string, args: unknown): Promise<Result<unknown>>
  open(name: string, args: unknown, wake: () => void): Result<StreamSource<unknown>>
}

export interface FakeTransport extends Transport {
  /** Breaks or restores the connection: streams close and reopen as with a real one. */
  setLink(up: boolean): void
  /** The number of streams open at the terminal. */
  readonly openStreams: number
}

const LOST: Failure = { code: 'offline', message: 'The connection to Tapedeck was lost.' }

/** `frame` calls back before the next paint; by default in a microtask. */
export function fakeTransport(
  terminal: FakeTerminal,
  frame: (then: () => void) => void = queueMicrotask,
): FakeTransport {
  const listeners = new Set<(up: boolean) => void>()
  const open = new Set<{ start(): void; stop(): void }>()
  let up = true
  let sources = 0

  return {
    async invoke(name, args) {
      if (!up) return { ok: false, error: LOST }
      const result = await terminal.call(name, args).catch((thrown: unknown) => {
        return { ok: false, error: toFailure(thrown) } as const
      })
      return result as never // the terminal returns what the contract pairs with this name
    },
    subscribe<K extends StreamName>(
      name: K,
      args: unknown,
      onValue: (value: never) => void,
      onEnd?: (failure: Failure) => void,
    ) {
      let source: StreamSource<unknown> | undefined
      let asked = false
      const take = (): void => {
        asked = false
        const value = source?.take()
        if (value === undefined) return
        onValue(value as never) // as above: the value of this very stream
        ask()
      }
      const ask = (): void => {
        if (asked || !source) return
        asked = true
        frame(take)
      }
      const stream = {
        start() {
          const opened = terminal.open(name, args, ask)
          if (!opened.ok) {
            open.delete(stream)
            queueMicrotask(() => onEnd?.(opened.error))
            return
          }
          source = opened.value
          sources += 1
          ask()
        },
        stop() {
          if (source) sources -= 1
          source?.close()
          source = undefined
        },
      }
      open.add(stream)
      if (up) stream.start()
      return () => {
        if (open.delete(stream)) stream.stop()
      }
    },
    onLink(listener) {
      listeners.add(listener)
      listener(up)
      return () => {
        listeners.delete(listener)
      }
    },
    setLink(now) {
      if (now === up) return
      up = now
      for (const stream of [...open]) {
        if (up) stream.start()
        else stream.stop()
      }
      for (const listener of [...listeners]) listener(up)
    },
    get openStreams() {
      return sources
    },
  }
}
