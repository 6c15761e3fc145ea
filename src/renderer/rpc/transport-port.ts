/** Connects to the Electron host over a MessagePort from the preload script. */
import type { TerminalFrame } from '../../shared/rpc/transport.ts'
import type { Dial } from './transport-client.ts'

export interface PortEvents {
  message(data: unknown): void
  closed(): void
}

/** The minimal interface of a MessagePort. */
export interface Port {
  post(data: unknown): void
  close(): void
}

/** Requests a port once; `ready` is called when it has arrived, with a function that starts listening on it. */
export type AskForPort = (ready: (listen: (events: PortEvents) => Port) => void) => () => void

/** Connects over MessagePorts. */
export function portDial(ask: AskForPort): Dial {
  return (line) => {
    let port: Port | undefined
    const cancel = ask((listen) => {
      const opened = listen({
        message: (data) => line.frame(data as TerminalFrame), // our own terminal's frames
        closed: () => line.down(),
      })
      port = opened
      line.up((frame) => {
        try {
          opened.post(frame)
        } catch {
          // Arguments are plain data by contract, but a Svelte state proxy looks plain and can't be cloned.
          opened.post(JSON.parse(JSON.stringify(frame)))
        }
      })
    })
    return () => {
      cancel()
      port?.close()
    }
  }
}
