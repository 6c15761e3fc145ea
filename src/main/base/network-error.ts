/** Errors of requests to the service that got no response. */
import { CodedError } from '../../shared/base/errors.ts'
import { isTlsError } from '../../service/reasons.ts'

/** Converts what Node or undici threw for a request to a coded error. `late`: our own time limit ended it. */
export function networkError(thrown: unknown, url: URL, late: boolean): CodedError {
  if (late) {
    return new CodedError('timeout', `${url.host} did not answer in time.`, {
      hint: 'Check the network, then try again.',
    })
  }
  const code = codeOf(thrown)
  if (isTlsError(code)) {
    return new CodedError('tls', `The identity of ${url.host} could not be proven (${code}), so nothing was sent.`, {
      hint: 'Check the clock of this computer and the address. A network that asks to sign in can cause this too.',
    })
  }
  const what =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? `The name ${url.hostname} was not found.`
      : code === 'ECONNREFUSED'
        ? `Nothing answers at ${url.host}.`
        : `${url.host} cannot be reached (${code}).`
  return new CodedError('offline', what, { hint: 'Check the network and the base URL, then try again.' })
}

/** Node's code of a network error, which undici wraps as a cause. Never its message. */
function codeOf(thrown: unknown): string {
  for (let at: unknown = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return 'no answer'
}
