/** The two ways in which a window reaches its terminal, painted and cut by the test. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { WebSocket } from 'ws'
import { startBrowserHost } from '../../src/main/hosts/browser/host.ts'
import { serveWindow, type CarrierOptions, type WindowPort } from '../../src/main/rpc/carrier.ts'
import { createTransport, type Timing } from '../../src/renderer/rpc/transport-client.ts'
import { portDial } from '../../src/renderer/rpc/transport-port.ts'
import { socketDial, type Keys, type OpenSocket } from '../../src/renderer/rpc/transport-socket.ts'
import { SOCKET_PATH } from '../../src/shared/rpc/handshake.ts'
import type { TerminalFrame } from '../../src/shared/rpc/transport.ts'
import type { Transport } from '../../src/shared/transport.ts'
import type { StubTerminal } from './stub-terminal.ts'
import { makeFolder } from '../kit/folder.ts'

export interface Line {
  readonly transport: Transport
  /** Lets the window paint its next frame. A window that never paints is hidden. */
  paint(): void
  /** How often the terminal planned work for this window. */
  readonly planned: number
  /** Breaks the line; it comes back by itself. */
  cut(): void
  close(): Promise<void>
}

export interface LineKind {
  readonly name: string
  open(stub: StubTerminal): Promise<Line>
}

/** A window that paints only when told. */
function handPainted(): { readonly timing: Timing; paint(): void } {
  let due: (() => void)[] = []
  return {
    timing: {
      frame: (then) => void due.push(then),
      after(_ms, then) {
        const timer = setTimeout(then, 1)
        return () => clearTimeout(timer)
      },
      random: () => 0.5,
    },
    paint() {
      const now = due
      due = []
      for (const then of now) then()
    },
  }
}

function countingTimers(): { readonly options: CarrierOptions; readonly planned: () => number } {
  let planned = 0
  return {
    planned: () => planned,
    options: {
      frameMs: 1,
      after(ms, then) {
        planned += 1
        const timer = setTimeout(then, ms)
        return () => clearTimeout(timer)
      },
    },
  }
}

const port: LineKind = {
  name: 'a MessagePort',
  async open(stub) {
    const painter = handPainted()
    const timers = countingTimers()
    let cut = (): void => {}
    const transport = createTransport(
      portDial((ready) => {
        const { port1, port2 } = new MessageChannel()
        let open = true
        const close = (): void => {
          open = false
          port1.close()
        }
        port1.once('close', () => (open = false))
        cut = close
        const terminalSide: WindowPort = {
          send: (frame: TerminalFrame) => {
            if (open) port1.postMessage(frame)
          },
          onFrame: (listener) => void port1.on('message', listener),
          onClose: (listener) => void port1.once('close', listener),
          close,
        }
        serveWindow(terminalSide, stub.handlers, timers.options)
        queueMicrotask(() =>
          ready((events) => {
            port2.on('message', events.message)
            port2.once('close', events.closed)
            return { post: (data) => port2.postMessage(data), close: () => port2.close() }
          }),
        )
        return () => {}
      }),
      painter.timing,
    )
    return {
      transport,
      paint: painter.paint,
      get planned() {
        return timers.planned()
      },
      cut: () => cut(),
      close: async () => transport.close(),
    }
  },
}

/** A page's keys without a page. */
export function keysOf(url: string): Keys {
  let token: string | null = new URL(url).hash.replace('#token=', '')
  let secret: string | null = null
  return {
    token: () => token,
    secret: () => secret,
    admitted(given) {
      secret = given
      token = null
    },
    forget(which) {
      if (which === 'token') token = null
      else secret = null
    },
  }
}

/** What a browser does: sends the page's Origin. */
export function socketOf(url: string, seen?: (socket: WebSocket) => void): OpenSocket {
  const { host, origin } = new URL(url)
  return (events) => {
    const socket = new WebSocket(`ws://${host}${SOCKET_PATH}`, { origin })
    seen?.(socket)
    socket.on('open', () => events.open())
    socket.on('message', (data: Buffer) => events.text(data.toString('utf8')))
    socket.on('error', () => undefined) // a close follows
    socket.on('close', () => events.closed())
    return {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text)
      },
      close: () => socket.close(),
    }
  }
}

const socket: LineKind = {
  name: 'a loopback WebSocket',
  async open(stub) {
    const painter = handPainted()
    const timers = countingTimers()
    const rendererDir = makeFolder('pages')
    await writeFile(join(rendererDir, 'index.html'), '<!doctype html>')
    const host = await startBrowserHost(stub.handlers, { rendererDir, carrier: timers.options })
    let last: WebSocket | undefined
    const transport = createTransport(
      socketDial(
        socketOf(host.url, (opened) => (last = opened)),
        keysOf(host.url),
      ),
      painter.timing,
    )
    return {
      transport,
      paint: painter.paint,
      get planned() {
        return timers.planned()
      },
      cut: () => last?.terminate(),
      close: async () => {
        transport.close()
        await host.close()
      },
    }
  },
}

export const LINES: readonly LineKind[] = [port, socket]
