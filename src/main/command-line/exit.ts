/** Exit codes of every command. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const

/**
 * Why a command is asked to end before it is done; the `reason` of `Context.signal`. `interrupt`: Ctrl+C or a closed
 * terminal. `terminate`: SIGTERM, from a service manager. `crash`: an error nobody caught. `output`: standard output
 * has no reader any more.
 */
export type StopReason = 'interrupt' | 'terminate' | 'crash' | 'output'

/** Exit code of a command that runs until it is stopped: SIGTERM is how service managers end it, so that is success. */
export const exitWhenStopped = (signal: AbortSignal): number =>
  signal.reason === ('terminate' satisfies StopReason) ? EXIT.ok : EXIT.interrupted

/** Exit code of a command that was stopped before its work was done. */
export const exitWhenUnfinished = (signal: AbortSignal): number =>
  signal.reason === ('terminate' satisfies StopReason) ? EXIT.failed : EXIT.interrupted
