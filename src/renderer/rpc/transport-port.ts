/** Dials the Electron host: a MessagePort that the preload hands over. */
import type { TerminalFrame } from '../../shared/rpc/transport.ts'
import type { Dial } from './transport-client.ts'

export interface PortEvents {
  message(data: unknown): void
  closed(): void
}

/** A MessagePort in as few words as needed. */
export interface Port {
  post(data: unknown): void
  close(): void
}

/** Asks once for a port; `ready` is called when it is there, with the means to listen on it. */
export type AskForPort = (ready: (listen: (events: PortEvents) => Port) => void) => () => void

/** Dials over MessagePorts. */
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
          // Arguments are plain data by contract, but a Svelte state proxy looks plain and cannot be cloned.
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
