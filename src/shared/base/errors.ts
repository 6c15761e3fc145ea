/**
 * Errors as values. Every failure that reaches a user has a code to match on, a sentence that says what happened, and
 * a hint that says what to do next.
 */
export const ERROR_CODES = [
  'bad-arguments',
  'unknown-call',
  'not-allowed',
  'not-found',
  'cancelled',
  'internal',
  'offline',
  'timeout',
  'bad-url',
  'insecure-url',
  'tls',
  'wrong-password',
  'token-missing',
  'token-expired',
  'forbidden-origin',
  'unknown-feed',
  'plan',
  'protocol',
  'budget',
  'keychain',
  'store-locked',
  'store-newer',
  'store-damaged',
  'disk-full',
  'disk-error',
  'ambiguous-source',
  'no-key',
  'unauthorized',
  'forbidden',
  'coming-soon',
  'rate-limited',
  'server-error',
  'unexpected-answer',
  'truncated',
  'bad-file',
  'too-large',
  'busy',
  'usage',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** A failure as it crosses the wire and as a pane shows it. `detail` goes to the log and never holds a secret. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string
  readonly detail?: string
  /** The service asked not to be called again before this time, UTC ms. */
  readonly notBeforeMs?: number
}

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Failure }

/** An Error that carries a Failure. `cause` is for the log. */
export class CodedError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly notBeforeMs: number | undefined
  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; notBeforeMs?: number } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'CodedError'
    this.code = code
    this.hint = options.hint
    this.notBeforeMs = options.notBeforeMs
  }
}

/** The message of anything thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** Turns anything thrown into a Failure. The message of an unknown error goes to `detail`, never to the user. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof CodedError) {
    const cause = thrown.cause instanceof Error ? thrown.cause.message : undefined
    return {
      code: thrown.code,
      message: thrown.message,
      ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
      ...(cause === undefined ? {} : { detail: cause }),
      ...(thrown.notBeforeMs === undefined ? {} : { notBeforeMs: thrown.notBeforeMs }),
    }
  }
  return {
    code: 'internal',
    message: 'Something went wrong inside Tapedeck.',
    hint: 'Try again; the log pane has the details.',
    detail: messageOf(thrown),
  }
}

/**
 * The default of a switch over what is received and stored: a value that its type excludes must not pass silently.
 * Elsewhere, lint proves that a switch covers its union.
 */
export function missingCase(value: never): never {
  throw new TypeError(`missing case: ${JSON.stringify(value)}`)
}
