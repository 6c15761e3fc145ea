/** Errors of requests to the service that got no response. */
import { CodedError } from '../../shared/base/errors.ts'
import { isTlsError } from '../../service/reasons.ts'

/**
 * Converts an error that Node or undici threw for a request to a coded error. `late`: our own time limit ended the
 * request.
 */
export function networkError(thrown: unknown, url: URL, late: boolean): CodedError {
  if (late) {
    return new CodedError('timeout', `${url.host} didn’t respond in time.`, {
      hint: 'Check your connection, then try again.',
    })
  }
  const code = codeOf(thrown)
  if (isTlsError(code)) {
    return new CodedError(
      'tls',
      `Couldn’t establish a secure connection to ${url.host} (${code}), so nothing was sent.`,
      {
        hint: 'Check the address and this computer’s clock. A network with a sign-in page can also cause this.',
      },
    )
  }
  const what =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? `Couldn’t find ${url.hostname}.`
      : code === 'ECONNREFUSED'
        ? `Nothing is listening at ${url.host}.`
        : `Couldn’t reach ${url.host} (${code}).`
  return new CodedError('offline', what, { hint: 'Check your connection and the base URL, then try again.' })
}

/** Node's code of a network error, which undici wraps as a cause. Never its message. */
function codeOf(thrown: unknown): string {
  for (let at: unknown = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return 'no response'
}
