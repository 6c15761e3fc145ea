/**
 * Runs terminals for the tests of windows, because a terminal needs Node's globals and not jsdom's. One thread serves
 * every test file of its process, so that its modules load once. Frames cross as JSON, as they do to a browser.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { serveWindow, type Carrier } from '../../src/main/rpc/carrier.ts'
import { FOLDERS } from './quick-disk.ts'
import type { FromWindow, Reply, Request, TerminalControls, TerminalOptions, ToWindow } from './terminal-messages.ts'
import { startMemoryTerminal, type MemoryTerminal } from './terminal.ts'

const port = parentPort
if (port === null) throw new Error('This module is a worker.')
const post = (message: ToWindow | Reply): void => port.postMessage(message)

/** Turns of the event loop without anything to send: more than a read of the store takes. */
const QUIET_TURNS = 20

class Session {
  readonly #folder: string
  readonly #memory: MemoryTerminal
  readonly #windows = new Map<number, { readonly carrier: Carrier; frame(frame: unknown): void }>()
  #pumps = 0
  #frames = 0

  private constructor(folder: string, memory: MemoryTerminal) {
    this.#folder = folder
    this.#memory = memory
  }

  /** Starts a terminal with its data in a new folder, or in one of an earlier session. */
  static async start(
    options: TerminalOptions,
    folder = mkdtempSync(join(FOLDERS, 'tapedeck-window-')),
  ): Promise<Session> {
    return new Session(folder, await startMemoryTerminal(folder, options))
  }

  takeFrames(): number {
    const frames = this.#frames
    this.#frames = 0
    return frames
  }

  #pumpSoon = (_ms: number, pump: () => void): (() => void) => {
    this.#pumps += 1
    const turn = setImmediate(() => {
      this.#pumps -= 1
      pump()
    })
    return () => {
      this.#pumps -= 1
      clearImmediate(turn)
    }
  }

  dial(window: number): void {
    let frame: (frame: unknown) => void = () => undefined
    const carrier = serveWindow(
      {
        send: (value) => {
          this.#frames += 1
          post({ is: 'frame', window, text: JSON.stringify(value) })
        },
        onFrame: (listener) => void (frame = listener),
        onClose: () => undefined,
        close: () => undefined,
      },
      this.#memory.terminal.handlers,
      { frameMs: 0, after: this.#pumpSoon },
    )
    this.#windows.set(window, { carrier, frame })
  }

  frame(window: number, text: string): void {
    this.#windows.get(window)?.frame(JSON.parse(text))
  }

  hangUp(window: number): void {
    this.#windows.get(window)?.carrier.close()
    this.#windows.delete(window)
  }

  async settle(): Promise<void> {
    const busy = (): boolean =>
      this.#pumps > 0 || [...this.#windows.values()].some(({ carrier }) => carrier.pendingCalls > 0)
    for (let quiet = 0; quiet < QUIET_TURNS; quiet = busy() ? 0 : quiet + 1)
      await new Promise((resolve) => setImmediate(resolve))
  }

  async control(method: keyof TerminalControls, args: readonly unknown[]): Promise<void> {
    const run = this.#memory.controls[method] as (...all: readonly unknown[]) => Promise<void> // the proxy pairs them
    await run(...args)
    await this.settle()
  }

  async restart(options: TerminalOptions): Promise<Session> {
    await this.#end()
    return Session.start(options, this.#folder)
  }

  async #end(): Promise<void> {
    for (const { carrier } of this.#windows.values()) carrier.close()
    await this.#memory.close()
  }

  async close(): Promise<void> {
    await this.#end()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const sessions = new Map<number, Session>()

async function run(request: Request): Promise<void> {
  if (request.is === 'start') {
    sessions.set(request.terminal, await Session.start(request.options))
    return
  }
  const session = sessions.get(request.terminal)
  if (session === undefined) throw new Error('This terminal was closed, or never started.')
  switch (request.is) {
    case 'restart':
      sessions.set(request.terminal, await session.restart(request.options))
      return
    case 'control':
      return session.control(request.method, request.args)
    case 'settle':
      return session.settle()
    case 'close':
      sessions.delete(request.terminal)
      return session.close()
  }
}

function answer(request: Request): void {
  const reply = (error: string | null): void => {
    const frames = sessions.get(request.terminal)?.takeFrames() ?? 0
    post({ is: 'reply', id: request.id, frames, error })
  }
  run(request).then(
    () => reply(null),
    (thrown: unknown) => reply(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)),
  )
}

port.on('message', (message: Request | FromWindow) => {
  const session = sessions.get(message.terminal)
  switch (message.is) {
    case 'dial':
      return session?.dial(message.window)
    case 'frame':
      return session?.frame(message.window, message.text)
    case 'hang-up':
      return session?.hangUp(message.window)
    default:
      return answer(message)
  }
})
port.postMessage({ is: 'ready' })
