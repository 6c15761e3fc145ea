/** A real terminal for the test of a window: see `terminal.ts`. It runs in a thread, because jsdom isn't Node. */
import { afterAll } from 'vitest'
import { createTransport, type ClientTransport, type Dial } from '../../src/renderer/rpc/transport-client.ts'
import type { CallArgs, CallName, CallValue, StreamArgs, StreamName, StreamValue } from '../../src/shared/contracts.ts'
import type { TerminalFrame } from '../../src/shared/rpc/transport.ts'
import { nextId, thread } from './shared-thread.mjs'
import type { FromWindow, Reply, Request, TerminalControls, TerminalOptions, ToWindow } from './terminal-messages.ts'
import { TestTransport } from './transport.ts'

const replies = new Map<number, (reply: Reply) => void>()
const lines = new Map<number, (text: string) => void>()
const listen = (message: ToWindow | Reply): void => {
  if (message.is === 'frame') return lines.get(message.window)?.(message.text)
  replies.get(message.id)?.(message)
  replies.delete(message.id)
}
thread.on('message', listen)
const running = new Set<WindowTerminal>()
const closing = new Set<Promise<unknown>>()
afterAll(async () => {
  for (const one of running) one.close()
  await Promise.all(closing) // each removes its folder
  thread.off('message', listen)
})

type Ask = Request extends infer R ? (R extends Request ? Omit<R, 'id' | 'terminal'> : never) : never

/** Resolves with the number of frames sent to windows meanwhile. */
async function ask(terminal: number, request: Ask): Promise<number> {
  const id = nextId()
  const { frames, error } = await new Promise<Reply>((resolve) => {
    replies.set(id, resolve)
    thread.postMessage({ ...request, id, terminal })
  })
  if (error !== null) throw new Error(error)
  return frames
}

/** A terminal as its window knows it. Everything is the terminal's own except what a test answers itself. */
export class WindowTerminal extends TestTransport {
  readonly #id: number
  readonly #client: ClientTransport
  readonly #line: Line

  private constructor(id: number, line: Line, client: ClientTransport) {
    super(client)
    this.#id = id
    this.#line = line
    this.#client = client
    running.add(this)
  }

  /** Starts a terminal; see `startMemoryTerminal`. It ends with the test file, or by `close`. */
  static async start(options: TerminalOptions = {}): Promise<WindowTerminal> {
    const id = nextId()
    await ask(id, { is: 'start', options })
    const line: Line = { redial: () => undefined, hangUp: () => undefined }
    const client = createTransport(dialOf(id, line), {
      frame: (then) => queueMicrotask(then),
      after(_ms, then) {
        line.redial = then
        return () => (line.redial = () => undefined)
      },
      random: () => 0,
    })
    return new WindowTerminal(id, line, client)
  }

  /** Breaks the connection to the terminal, or restores it. */
  link(up: boolean): void {
    if (up) this.#line.redial()
    else this.#line.hangUp()
  }

  /** Ends the terminal and starts one with the same data; the window reconnects. */
  async restart(options: TerminalOptions = {}): Promise<void> {
    this.link(false)
    await ask(this.#id, { is: 'restart', options })
    this.link(true)
    await this.settle()
  }

  /** Waits until the terminal has answered and sent everything, and the window has taken it. */
  async settle(): Promise<void> {
    while ((await ask(this.#id, { is: 'settle' })) > 0);
  }

  /** Calls, and resolves with the value. Rejects if the terminal refuses. */
  async ask<K extends CallName>(name: K, args: CallArgs<K>): Promise<CallValue<K>> {
    const result = await this.#client.invoke(name, args)
    if (!result.ok) throw new Error(`${name}: ${result.error.message}`)
    return result.value
  }

  /** The first value of a stream. */
  async read<K extends StreamName>(name: K, args: StreamArgs<K>): Promise<StreamValue<K>> {
    const { promise, resolve, reject } = Promise.withResolvers<StreamValue<K>>()
    const close = this.#client.subscribe(name, args, resolve, ({ message }) => reject(new Error(message)))
    return promise.finally(() => close())
  }

  /** Calls a control of the terminal, and settles. */
  async control<K extends keyof TerminalControls>(method: K, ...args: Parameters<TerminalControls[K]>): Promise<void> {
    await ask(this.#id, { is: 'control', method, args })
    await this.settle()
  }

  /** Closes the terminal in its thread, while the next test begins. */
  close(): void {
    if (!running.delete(this)) return
    this.#client.close()
    closing.add(ask(this.#id, { is: 'close' }))
  }
}

/** The connection of a window, which a test can break and restore. */
interface Line {
  redial(): void
  hangUp(): void
}

const dialOf =
  (terminal: number, line: Line): Dial =>
  (events) => {
    const window = nextId()
    const post = (message: { is: 'dial' | 'hang-up' } | { is: 'frame'; text: string }): void =>
      thread.postMessage({ ...message, terminal, window } satisfies FromWindow)
    const hangUp = (): void => {
      lines.delete(window)
      post({ is: 'hang-up' })
    }
    lines.set(window, (text) => {
      const frame: TerminalFrame = JSON.parse(text)
      events.frame(frame)
    })
    line.hangUp = () => {
      hangUp()
      events.down()
    }
    post({ is: 'dial' })
    events.up((frame) => post({ is: 'frame', text: JSON.stringify(frame) }))
    return hangUp
  }
