/** Opens web addresses in another program. */
import { CodedError } from '../../../shared/base/errors.ts'
import type { HostOptions } from '../../terminal/host.ts'

/**
 * Returns a function that opens http(s) addresses. It rejects others with `bad-url`, and with `not-allowed` if the
 * host can't open any.
 */
export function openOutside(open: HostOptions['openExternal']): (url: string) => Promise<void> {
  return async (url) => {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new CodedError('bad-url', 'Only web addresses can be opened in the browser.')
    }
    if (open === undefined) {
      throw new CodedError('not-allowed', 'This window can’t open other programs.', {
        hint: 'Copy the address instead.',
      })
    }
    await open(url)
  }
}
