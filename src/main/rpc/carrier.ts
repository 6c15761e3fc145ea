/**
 * Serves one window: calls in, results out, streams by credit. Independent of the host, which provides a port and
 * closes the carrier when it is done.
 *
 * A stream has at most one value outstanding: `take` is called only if the window has returned its credit and the source
 * has something new. A hidden or slow window returns no credit, so it costs a boolean, and catches up with the newest
 * state instead of every change.
 */
import { toFailure, type Failure } from '../../shared/base/errors.ts'
import type { StreamSource, TerminalFrame } from '../../shared/rpc/transport.ts'
import { dispatchCall, openStream, type Handlers } from './dispatch.ts'

/** A host's channel to one window. */
export interface WindowPort {
  /** Sends a frame; must not throw once the port is closed. */
  send(frame: TerminalFrame): void
  /** Called once, by the carrier, which checks the frames. */
  onFrame(listener: (frame: unknown) => void): void
  /** Called once, by the carrier. The listener may be called more than once. */
  onClose(listener: () => void): void
  /** Closes the channel, with the reason if the host can send one. Idempotent. */
  close(reason: string): void
}

export interface CarrierOptions {
  /** Shortest time between two sends, ms; default 6, well below a display frame. */
  readonly frameMs?: number
  /** Most streams open at a time; default 256. */
  readonly maxStreams?: number
  /** Most pending calls at a time; default 256. */
  readonly maxCalls?: number
  /** Monotonic milliseconds. */
  readonly now?: () => number
  /** Calls back once after `ms`; returns a function that cancels it. */
  readonly after?: (ms: number, then: () => void) => () => void
}

export interface Carrier {
  readonly openStreams: number
  readonly pendingCalls: number
  /** Closes every source and the port. Idempotent. */
  close(reason?: string): void
}

interface OpenStream {
  readonly source: StreamSource<unknown>
  /** The window has taken the last value and may get another. */
  hasCredit: boolean
  /** The source may have a new value. */
  isFresh: boolean
}

type ParsedFrame =
  | {
      readonly t: 'call' | 'open' | 'close'
      readonly id: number
      readonly name: unknown
      readonly args: unknown
    }
  | { readonly t: 'credit'; readonly ids: readonly number[] }

const isId = (id: unknown): id is number => typeof id === 'number' && Number.isSafeInteger(id) && id >= 1

/** The parsed frame, or the reason why it is malformed. Dispatch checks names and arguments later. */
function parseFrame(frame: unknown, maxStreams: number): ParsedFrame | string {
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) return 'a frame must be an object'
  const own = (key: string): unknown =>
    Object.hasOwn(frame, key) ? (frame as Record<string, unknown>)[key] : undefined // `own` proved the key
  const t = own('t')
  if (t === 'credit') {
    const ids = own('ids')
    if (!Array.isArray(ids) || ids.length > maxStreams || !ids.every(isId)) return 'a credit must have stream ids'
    return { t, ids }
  }
  const id = own('id')
  if (!isId(id)) return 'a frame must have a positive integer id'
  switch (t) {
    case 'call':
    case 'open':
    case 'close':
      return { t, id, name: own('name'), args: own('args') }
    default:
      return 'a frame must be a call, an open, a credit or a close'
  }
}

const timerAfter = (ms: number, then: () => void): (() => void) => {
  const timer = setTimeout(then, ms)
  return () => clearTimeout(timer)
}

/** Serves one window until either side closes. Never throws. */
export function serveWindow(port: WindowPort, handlers: Handlers, options: CarrierOptions = {}): Carrier {
  const { frameMs = 6, maxStreams = 256, maxCalls = 256 } = options
  const now = options.now ?? (() => performance.now())
  const after = options.after ?? timerAfter
  const streams = new Map<number, OpenStream>()
  const calls = new Set<number>()
  let closed = false
  let lastPumpMs = -Infinity
  let cancelPump: (() => void) | undefined

  function close(reason = 'closing'): void {
    if (closed) return
    closed = true
    cancelPump?.()
    const sources = [...streams.values()]
    streams.clear()
    calls.clear()
    for (const { source } of sources) closeSource(source)
    port.close(reason)
  }

  function closeSource(source: StreamSource<unknown>): void {
    try {
      source.close()
    } catch (thrown) {
      handlers.onInternal?.('close of a stream', toFailure(thrown))
    }
  }

  function endStream(id: number, stream: OpenStream, error: Failure): void {
    streams.delete(id)
    closeSource(stream.source)
    port.send({ t: 'end', id, error })
  }

  function schedule(): void {
    if (closed || cancelPump) return
    cancelPump = after(Math.max(0, lastPumpMs + frameMs - now()), pump)
  }

  function pump(): void {
    cancelPump = undefined
    if (closed) return
    lastPumpMs = now()
    const values: [number, unknown][] = []
    for (const [id, stream] of streams) {
      if (!stream.isFresh || !stream.hasCredit) continue
      // Cleared before `take`, so that a source that wakes during `take` is taken again.
      stream.isFresh = false
      let value: unknown
      try {
        value = stream.source.take()
      } catch (thrown) {
        const error = toFailure(thrown)
        if (error.code === 'internal') handlers.onInternal?.('take of a stream', error)
        endStream(id, stream, error)
        continue
      }
      if (closed) return // a source may close its own window
      if (value === undefined) continue
      stream.hasCredit = false
      values.push([id, value])
    }
    if (values.length > 0) port.send({ t: 'values', values })
  }

  function open(id: number, name: unknown, args: unknown): void {
    if (streams.size >= maxStreams) {
      const error: Failure = { code: 'not-allowed', message: `A window can have at most ${maxStreams} open streams.` }
      port.send({ t: 'end', id, error })
      return
    }
    let stream: OpenStream | undefined = undefined
    const opened = openStream(handlers, name, args, () => {
      if (!stream) return // woken while opening: the stream starts fresh
      stream.isFresh = true
      if (stream.hasCredit) schedule()
    })
    if (!opened.ok) {
      port.send({ t: 'end', id, error: opened.error })
      return
    }
    if (closed) return closeSource(opened.value) // the window closed while the stream opened
    stream = { source: opened.value, hasCredit: true, isFresh: true }
    streams.set(id, stream)
    schedule()
  }

  function call(id: number, name: unknown, args: unknown): void {
    if (calls.size >= maxCalls) {
      const error: Failure = { code: 'not-allowed', message: `A window can have at most ${maxCalls} pending calls.` }
      port.send({ t: 'result', id, result: { ok: false, error } })
      return
    }
    calls.add(id)
    void dispatchCall(handlers, name, args).then((result) => {
      if (closed) return
      calls.delete(id)
      port.send({ t: 'result', id, result })
    })
  }

  function credit(id: number): void {
    const stream = streams.get(id)
    // The stream may have ended before its credit arrived.
    if (!stream) return
    stream.hasCredit = true
    if (stream.isFresh) schedule()
  }

  port.onClose(() => close('the window was closed'))
  port.onFrame((raw) => {
    if (closed) return
    const frame = parseFrame(raw, maxStreams)
    if (typeof frame === 'string') return close(`bad frame: ${frame}`)
    if (frame.t === 'credit') return frame.ids.forEach(credit)
    const { id } = frame
    const stream = streams.get(id)
    switch (frame.t) {
      case 'call':
        if (calls.has(id)) return close('bad frame: duplicate call id')
        return call(id, frame.name, frame.args)
      case 'open':
        if (stream) return close('bad frame: duplicate stream id')
        return open(id, frame.name, frame.args)
      case 'close':
        if (!stream) return
        streams.delete(id)
        closeSource(stream.source)
    }
  })

  return {
    get openStreams() {
      return streams.size
    },
    get pendingCalls() {
      return calls.size
    },
    close,
  }
}
