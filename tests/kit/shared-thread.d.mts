import type { FromWindow, Reply, Request, ToWindow } from './terminal-messages.ts'

/** The thread of terminals, one for all test files of a process. */
export declare const thread: {
  postMessage(message: Request | FromWindow): void
  on(event: 'message', listener: (message: ToWindow | Reply) => void): void
  off(event: 'message', listener: (message: ToWindow | Reply) => void): void
}

/** A number that no other test file of the process has. */
export declare function nextId(): number
