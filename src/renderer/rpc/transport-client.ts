/**
 * The window's side of any carrier. Numbers calls and streams, returns credits with each painted frame, and after a
 * lost connection keeps redialing and reopens every stream. A carrier only supplies `dial`.
 */
import type { StreamName } from '../../shared/contracts.ts'
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
  const calls = new Map<number, Call>()
  const follows = new Map<number, Follow>()
  const owed = new Set<number>()
  const listeners = new Set<(up: boolean, refused?: Failure) => void>()
  let send: ((frame: WindowFrame) => void) | undefined
  let hangUp: (() => void) | undefined
  let cancelTry: (() => void) | undefined
  let wasUp = false
  let tries = 0
  let lastId = 0
  let over: Failure | undefined

  const nextId = (): number => (lastId += 1)

  function tell(up: boolean): void {
    for (const listener of [...listeners]) guarded(() => listener(up, over))
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

  function failCalls(error: Failure): void {
    const failed = [...calls.values()]
    calls.clear()
    for (const call of failed) call.settle({ ok: false, error })
  }

  function tryAgain(): void {
    if (over || cancelTry) return
    const ceiling = Math.min(LAST_TRY_MS, FIRST_TRY_MS * 2 ** Math.min(tries, 10))
    tries += 1
    cancelTry = timing.after(ceiling * (0.5 + 0.5 * timing.random()), connect)
  }

  function connect(): void {
    cancelTry = undefined
    if (over) return
    let live = true
    hangUp = dial({
      up(sendFrame) {
        if (!live) return
        send = sendFrame
        wasUp = true
        tries = 0
        for (const [id, { name, args }] of calls) send({ t: 'call', id, name, args })
        // Each connection uses new ids, so late frames of a lost one can't be mistaken for this one's.
        const again = [...follows.values()]
        follows.clear()
        for (const follow of again) reopen(follow)
        tell(true)
      },
      frame(frame) {
        if (live && send) receive(frame)
      },
      down() {
        if (!live) return
        live = false
        const had = send !== undefined
        send = undefined
        owed.clear()
        if (had) {
          failCalls(LOST)
          tell(false)
        }
        tryAgain()
      },
      refused(failure) {
        if (!live) return
        live = false
        end(failure)
      },
    })
  }

  function end(failure: Failure): void {
    over = failure
    send = undefined
    cancelTry?.()
    failCalls(failure)
    const ended = [...follows.values()]
    follows.clear()
    owed.clear()
    for (const follow of ended) guarded(() => follow.onEnd?.(failure))
    tell(false)
  }

  const ids = new Map<Follow, number>()
  function reopen(follow: Follow): void {
    const id = nextId()
    follows.set(id, follow)
    ids.set(follow, id)
    send?.({ t: 'open', id, name: follow.name, args: follow.args })
  }

  /** The number of values received per stream since the last frame. */
  const taken = new Map<number, number>()
  let frameAsked = false
  function giveCredit(id: number, name: string): void {
    const count = (taken.get(id) ?? 0) + 1
    taken.set(id, count)
    const most = name === FRESHEST && timing.isReduced?.() !== true ? MAX_A_FRAME : 1
    if (count < most) send?.({ t: 'credit', ids: [id] })
    else owed.add(id)
    if (frameAsked) return
    frameAsked = true
    timing.frame(() => {
      frameAsked = false
      taken.clear()
      const ids = [...owed].filter((id) => follows.has(id))
      owed.clear()
      if (ids.length > 0) send?.({ t: 'credit', ids })
    })
  }

  function receive(frame: TerminalFrame): void {
    switch (frame.t) {
      case 'result': {
        const call = calls.get(frame.id)
        calls.delete(frame.id)
        call?.settle(frame.result)
        return
      }
      case 'values':
        for (const [id, value] of frame.values) {
          const follow = follows.get(id)
          if (!follow) continue
          guarded(() => follow.onValue(value))
          giveCredit(id, follow.name)
        }
        return
      case 'end': {
        const follow = follows.get(frame.id)
        if (!follow) return
        follows.delete(frame.id)
        ids.delete(follow)
        guarded(() => follow.onEnd?.(frame.error))
      }
    }
  }

  connect()

  return {
    invoke(name, args) {
      return new Promise((resolve) => {
        // The contract pairs a name with its arguments and value; frames are untyped.
        const settle = resolve as (result: Result<unknown>) => void
        if (over) return settle({ ok: false, error: over })
        // Before the first line a call waits for it; after a lost one it fails at once, because the
        // person who asked is watching.
        if (!send && wasUp) return settle({ ok: false, error: LOST })
        const id = nextId()
        calls.set(id, { name, args, settle })
        send?.({ t: 'call', id, name, args })
      })
    },
    subscribe<K extends StreamName>(name: K, args: unknown, onValue: (value: never) => void, onEnd?: Follow['onEnd']) {
      // As above: values of this stream are what its subscriber asked for.
      const follow: Follow = { name, args, onValue: onValue as (value: unknown) => void, onEnd }
      if (over) {
        const failure = over
        queueMicrotask(() => onEnd?.(failure))
        return () => {}
      }
      reopen(follow)
      return () => {
        const id = ids.get(follow)
        if (id === undefined) return
        ids.delete(follow)
        if (follows.delete(id)) send?.({ t: 'close', id })
      }
    },
    onLink(listener) {
      listeners.add(listener)
      if (send) guarded(() => listener(true))
      else if (wasUp || over) guarded(() => listener(false, over))
      return () => {
        listeners.delete(listener)
      }
    },
    close() {
      if (over) return
      follows.clear()
      end(GONE)
      hangUp?.()
    },
  }
}
