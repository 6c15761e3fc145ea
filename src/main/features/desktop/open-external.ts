/** Addresses that are shown by another program. */
import { CodedError } from '../../../shared/base/errors.ts'
import type { HostOptions } from '../../terminal/host.ts'

/** Opens nothing but web addresses: `bad-url`; `not-allowed` where the host opens none. */
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
