/** The transport of a window under test: what a test answers itself, typed by the contract, and a terminal behind it. */
import { toFailure, type Failure, type Result } from '../../src/shared/base/errors.ts'
import type { CallArgs, CallName, CallValue, StreamArgs, StreamName, StreamValue } from '../../src/shared/contracts.ts'
import type { Transport } from '../../src/shared/transport.ts'

interface Opened {
  readonly name: StreamName
  readonly args: unknown
  /** The last value from behind, before `alter`. */
  last: unknown
  readonly give: (value: unknown) => void
  readonly end: ((failure: Failure) => void) | undefined
  close(): void
}

/** Behind it nobody: other calls never return, other streams stay silent. */
const NOBODY: Transport = {
  invoke: () => new Promise(() => undefined),
  subscribe: () => () => undefined,
  onLink(listener) {
    listener(true)
    return () => undefined
  },
}

export class TestTransport implements Transport {
  /** Every call of the window, for assertions. */
  readonly calls: { readonly name: CallName; readonly args: unknown }[] = []
  readonly #behind: Transport
  readonly #answers = new Map<CallName, (args: never) => unknown>()
  readonly #alterations = new Map<StreamName, (value: never) => unknown>()
  readonly #served = new Map<StreamName, (args: never) => unknown>()
  readonly #open = new Set<Opened>()

  constructor(behind: Transport = NOBODY) {
    this.#behind = behind
  }

  /** Answers a call from now on. What `run` throws is its failure, as in a terminal. */
  answer<K extends CallName>(name: K, run: (args: CallArgs<K>) => CallValue<K> | Promise<CallValue<K>>): this {
    this.#answers.set(name, run)
    return this
  }
  /** Leaves a call to the terminal again. */
  unanswer(name: CallName): void {
    this.#answers.delete(name)
  }
  /** The first value of later streams of this name, by their arguments; nobody behind is asked for them. */
  serve<K extends StreamName>(name: K, first: (args: StreamArgs<K>) => StreamValue<K>): this {
    this.#served.set(name, first)
    return this
  }
  /** Sends a value to the open streams of a name. */
  send<K extends StreamName>(name: K, value: StreamValue<K>): void {
    for (const one of this.#open) if (one.name === name) one.give(value)
  }
  /** Changes the values of a stream on their way, and sends the last one to the open streams again. */
  alter<K extends StreamName>(name: K, change: (value: StreamValue<K>) => StreamValue<K>): void {
    this.#alterations.set(name, change)
    for (const one of this.#open) if (one.name === name && one.last !== undefined) one.give(one.last)
  }
  /** Ends the open streams of a name, as a terminal does that no longer knows them. */
  endStream(name: StreamName, failure: Failure): void {
    for (const one of [...this.#open]) {
      if (one.name !== name) continue
      this.#open.delete(one)
      one.close()
      one.end?.(failure)
    }
  }

  /** Forgets calls and everything that a test answered, served or altered, for the next test of the same terminal. */
  reset(): void {
    this.calls.length = 0
    for (const one of [this.#answers, this.#served, this.#alterations]) one.clear()
  }

  /** The arguments of the calls of a name. */
  callsOf<K extends CallName>(name: K): CallArgs<K>[] {
    return this.calls.filter((call) => call.name === name).map(({ args }) => args as CallArgs<K>) // as called
  }
  /** The arguments of the open streams of a name. */
  argsOf<K extends StreamName>(name: K): StreamArgs<K>[] {
    return [...this.#open].filter((one) => one.name === name).map((one) => one.args as StreamArgs<K>) // as opened
  }

  async invoke<K extends CallName>(name: K, args: CallArgs<K>): Promise<Result<CallValue<K>>> {
    this.calls.push({ name, args })
    // `answer` paired the name with its arguments and value.
    const answer = this.#answers.get(name) as ((args: CallArgs<K>) => CallValue<K> | Promise<CallValue<K>>) | undefined
    if (answer === undefined) return this.#behind.invoke(name, args)
    try {
      return { ok: true, value: await answer(args) }
    } catch (thrown) {
      return { ok: false, error: toFailure(thrown) }
    }
  }

  subscribe<K extends StreamName>(
    name: K,
    args: StreamArgs<K>,
    onValue: (value: StreamValue<K>) => void,
    onEnd?: (failure: Failure) => void,
  ): () => void {
    const give = (value: unknown): void => {
      one.last = value
      const change = this.#alterations.get(name) as ((value: unknown) => unknown) | undefined // paired by `alter`
      onValue((change === undefined ? value : change(value)) as StreamValue<K>) // this stream's
    }
    const one: Opened = { name, args, last: undefined, give, end: onEnd, close: () => undefined }
    this.#open.add(one)
    const first = this.#served.get(name) as ((args: StreamArgs<K>) => StreamValue<K>) | undefined // paired by `serve`
    if (first !== undefined) give(first(args))
    else {
      one.close = this.#behind.subscribe(name, args, give, (failure) => {
        if (this.#open.delete(one)) onEnd?.(failure)
      })
    }
    return () => {
      if (this.#open.delete(one)) one.close()
    }
  }

  onLink(listener: (up: boolean, refused?: Failure) => void): () => void {
    return this.#behind.onLink(listener)
  }
}
