/**
 * The window's side of any carrier. Numbers calls and streams, returns credits with each painted frame, and after a
 * lost connection keeps redialing and reopens every stream. A carrier only supplies `dial`.
 */
import type { CallArgs, CallName, CallValue, StreamName } from '../../shared/contracts.ts'
import type { Failure, Result } from '../../shared/base/errors.ts'
import type { TerminalFrame, WindowFrame } from '../../shared/rpc/transport.ts'
import type { Transport } from '../../shared/transport.ts'
import { t } from '../../shared/base/text.ts'

/** The events of one connection attempt. None follow `down` or `refused`. */
export interface LineEvents {
  /** Connected: frames can be sent until `down`. `send` must not throw. */
  up(send: (frame: WindowFrame) => void): void
  frame(frame: TerminalFrame): void
  /** The connection was lost or couldn't be opened; another attempt follows. */
  down(): void
  /** Rejected for good; no further attempt is made. */
  refused(failure: Failure): void
}

/** Makes one connection attempt; returns a function that cancels or closes it. */
export type Dial = (events: LineEvents) => () => void

/** The window's frames and timers; injected for tests. */
export interface Timing {
  /** Calls back in time to request what the next paint will show. A hidden window doesn't paint, so it causes the terminal no work. */
  readonly frame: (then: () => void) => void
  /** Whether some frames show nothing new, so one value for each of the others is enough. */
  readonly isReduced?: () => boolean
  readonly after: (ms: number, then: () => void) => () => void
  /** 0 to 1, for the jitter of the next attempt. */
  readonly random: () => number
}

const FIRST_TRY_MS = 250
const LAST_TRY_MS = 5_000

/**
 * Quotes are merged per frame, so a few values may arrive before the next paint. The frame then shows the latest
 * prices instead of those of the previous frame. Bounded, so a window that paints late causes the terminal no work.
 */
const FRESHEST: StreamName = 'quotes'
const MAX_A_FRAME = 6

const LOST: Failure = {
  code: 'offline',
  message: t('The connection to Tapedeck was lost.'),
  hint: t('Reconnecting. Recorded data isn’t affected.'),
}
const GONE: Failure = { code: 'cancelled', message: t('This window is disconnected from Tapedeck.') }

interface Call {
  readonly name: string
  readonly args: unknown
  readonly settle: (result: Result<unknown>) => void
}

interface Follow {
  readonly name: string
  readonly args: unknown
  readonly onValue: (value: unknown) => void
  readonly onEnd: ((failure: Failure) => void) | undefined
}

export interface ClientTransport extends Transport {
  /** Ends every stream silently, fails pending calls, disconnects and stops reconnecting. */
  close(): void
}

/** Creates a transport over a carrier. Dials immediately. */
export function createTransport(dial: Dial, timing: Timing): ClientTransport {
  const transport = new DialedTransport(dial, timing)
  transport.connect()
  return transport
}

class DialedTransport implements ClientTransport {
  readonly #dial: Dial
  readonly #timing: Timing
  readonly #calls = new Map<number, Call>()
  readonly #follows = new Map<number, Follow>()
  readonly #ids = new Map<Follow, number>()
  readonly #listeners = new Set<(up: boolean, refused?: Failure) => void>()
  readonly #credits: Credits
  #send: ((frame: WindowFrame) => void) | undefined
  #hangUp: (() => void) | undefined
  #cancelTry: (() => void) | undefined
  #wasUp = false
  #tries = 0
  #lastId = 0
  #over: Failure | undefined

  constructor(dial: Dial, timing: Timing) {
    this.#dial = dial
    this.#timing = timing
    this.#credits = new Credits(timing, (ids) => {
      const open = ids.filter((id) => this.#follows.has(id))
      if (open.length > 0) this.#send?.({ t: 'credit', ids: open })
    })
  }

  connect(): void {
    this.#cancelTry = undefined
    if (this.#over) return
    let live = true
    this.#hangUp = this.#dial({
      up: (send) => {
        if (live) this.#up(send)
      },
      frame: (frame) => {
        if (live && this.#send) this.#receive(frame)
      },
      down: () => {
        if (!live) return
        live = false
        this.#down()
      },
      refused: (failure) => {
        if (!live) return
        live = false
        this.#end(failure)
      },
    })
  }

  invoke<K extends CallName>(name: K, args: CallArgs<K>): Promise<Result<CallValue<K>>> {
    return new Promise((resolve) => {
      // The contract pairs a name with its arguments and value; frames are untyped.
      const settle = resolve as (result: Result<unknown>) => void
      if (this.#over) return settle({ ok: false, error: this.#over })
      // Before the first line a call waits for it; after a lost one it fails at once, because the
      // person who asked is watching.
      if (!this.#send && this.#wasUp) return settle({ ok: false, error: LOST })
      const id = this.#nextId()
      this.#calls.set(id, { name, args, settle })
      this.#send?.({ t: 'call', id, name, args })
    })
  }

  subscribe<K extends StreamName>(name: K, args: unknown, onValue: (value: never) => void, onEnd?: Follow['onEnd']) {
    // As above: values of this stream are what its subscriber asked for.
    const follow: Follow = { name, args, onValue: onValue as (value: unknown) => void, onEnd }
    if (this.#over) {
      const failure = this.#over
      queueMicrotask(() => onEnd?.(failure))
      return () => {}
    }
    this.#open(follow)
    return () => {
      const id = this.#ids.get(follow)
      if (id === undefined) return
      this.#ids.delete(follow)
      if (this.#follows.delete(id)) this.#send?.({ t: 'close', id })
    }
  }

  onLink(listener: (up: boolean, refused?: Failure) => void): () => void {
    this.#listeners.add(listener)
    if (this.#send) guarded(() => listener(true))
    else if (this.#wasUp || this.#over) guarded(() => listener(false, this.#over))
    return () => {
      this.#listeners.delete(listener)
    }
  }

  close(): void {
    if (this.#over) return
    this.#follows.clear()
    this.#end(GONE)
    this.#hangUp?.()
  }

  #up(send: (frame: WindowFrame) => void): void {
    this.#send = send
    this.#wasUp = true
    this.#tries = 0
    for (const [id, { name, args }] of this.#calls) send({ t: 'call', id, name, args })
    // Each connection uses new ids, so late frames of a lost one can't be mistaken for this one's.
    const again = [...this.#follows.values()]
    this.#follows.clear()
    for (const follow of again) this.#open(follow)
    this.#tell(true)
  }

  #down(): void {
    const had = this.#send !== undefined
    this.#send = undefined
    this.#credits.clear()
    if (had) {
      this.#failCalls(LOST)
      this.#tell(false)
    }
    this.#tryAgain()
  }

  #tryAgain(): void {
    if (this.#over || this.#cancelTry) return
    const ceiling = Math.min(LAST_TRY_MS, FIRST_TRY_MS * 2 ** Math.min(this.#tries, 10))
    this.#tries += 1
    this.#cancelTry = this.#timing.after(ceiling * (0.5 + 0.5 * this.#timing.random()), () => this.connect())
  }

  #end(failure: Failure): void {
    this.#over = failure
    this.#send = undefined
    this.#cancelTry?.()
    this.#failCalls(failure)
    const ended = [...this.#follows.values()]
    this.#follows.clear()
    this.#credits.clear()
    for (const follow of ended) guarded(() => follow.onEnd?.(failure))
    this.#tell(false)
  }

  #tell(up: boolean): void {
    for (const listener of [...this.#listeners]) guarded(() => listener(up, this.#over))
  }

  #failCalls(error: Failure): void {
    const failed = [...this.#calls.values()]
    this.#calls.clear()
    for (const call of failed) call.settle({ ok: false, error })
  }

  #nextId(): number {
    return (this.#lastId += 1)
  }

  #open(follow: Follow): void {
    const id = this.#nextId()
    this.#follows.set(id, follow)
    this.#ids.set(follow, id)
    this.#send?.({ t: 'open', id, name: follow.name, args: follow.args })
  }

  #receive(frame: TerminalFrame): void {
    switch (frame.t) {
      case 'result': {
        const call = this.#calls.get(frame.id)
        this.#calls.delete(frame.id)
        call?.settle(frame.result)
        return
      }
      case 'values':
        for (const [id, value] of frame.values) {
          const follow = this.#follows.get(id)
          if (!follow) continue
          guarded(() => follow.onValue(value))
          if (this.#credits.takeValue(id, follow.name)) this.#send?.({ t: 'credit', ids: [id] })
        }
        return
      case 'end': {
        const follow = this.#follows.get(frame.id)
        if (!follow) return
        this.#follows.delete(frame.id)
        this.#ids.delete(follow)
        guarded(() => follow.onEnd?.(frame.error))
      }
    }
  }
}

/** Returns credits to the terminal: most of them with the next painted frame. */
class Credits {
  readonly #timing: Timing
  readonly #give: (ids: readonly number[]) => void
  readonly #owed = new Set<number>()
  /** The number of values received per stream since the last frame. */
  readonly #taken = new Map<number, number>()
  #frameAsked = false

  /** `give` gets the streams whose credit is due. */
  constructor(timing: Timing, give: (ids: readonly number[]) => void) {
    this.#timing = timing
    this.#give = give
  }

  /** Notes a value of a stream. Returns whether its credit is due at once instead of with the next frame. */
  takeValue(id: number, name: string): boolean {
    const count = (this.#taken.get(id) ?? 0) + 1
    this.#taken.set(id, count)
    const most = name === FRESHEST && this.#timing.isReduced?.() !== true ? MAX_A_FRAME : 1
    const isDue = count < most
    if (!isDue) this.#owed.add(id)
    this.#askFrame()
    return isDue
  }

  clear(): void {
    this.#owed.clear()
  }

  #askFrame(): void {
    if (this.#frameAsked) return
    this.#frameAsked = true
    this.#timing.frame(() => {
      this.#frameAsked = false
      this.#taken.clear()
      const ids = [...this.#owed]
      this.#owed.clear()
      this.#give(ids)
    })
  }
}

/** Reports an error thrown by a listener as the window's, so it never breaks the connection. */
function guarded(run: () => void): void {
  try {
    run()
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}
