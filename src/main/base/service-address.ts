/** Addresses of a market data service: which are allowed, and how paths are appended. */
import { CodedError } from '../../shared/base/errors.ts'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether a URL's host name means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/**
 * Parses a base URL as a user types it. The documented paths start at the root of the host, so only its origin is
 * used. Throws `bad-url` for an invalid http(s) URL or one with a user name, and `insecure-url` for plain http to
 * another machine.
 */
export function serviceOrigin(baseUrl: string): URL {
  let url: URL
  try {
    url = new URL(baseUrl.trim())
  } catch {
    throw new CodedError('bad-url', 'The base URL isn’t a web address.', {
      hint: 'Enter it in full, such as https://data.example.com.',
    })
  }
  if (url.username !== '' || url.password !== '') {
    throw new CodedError('bad-url', 'The base URL contains a user name or password.', {
      hint: 'Remove them from the URL and enter them in their own fields.',
    })
  }
  if (url.protocol === 'http:' || url.protocol === 'ws:') {
    if (!isLoopbackHost(url.hostname)) {
      throw new CodedError(
        'insecure-url',
        'This address isn’t encrypted, so the password would be sent in plain text.',
        {
          hint: 'Use https://. Plain http:// is allowed only for this machine.',
        },
      )
    }
    return new URL(`http://${url.host}`)
  }
  if (url.protocol === 'https:' || url.protocol === 'wss:') return new URL(`https://${url.host}`)
  throw new CodedError('bad-url', `The base URL can’t start with "${url.protocol}".`, {
    hint: 'Use https://, such as https://data.example.com.',
  })
}

/** The WebSocket address of a documented path, on the same host. Throws like `serviceOrigin`. */
export function socketUrl(baseUrl: string, path: string): URL {
  const url = new URL(path, serviceOrigin(baseUrl))
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:'
  return url
}

/** The HTTP address of a documented path. Throws like `serviceOrigin`. */
export function httpUrl(baseUrl: string, path: string): URL {
  return new URL(path, serviceOrigin(baseUrl))
}
