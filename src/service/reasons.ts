/**
 * Why a feed's connection failed, judged from the error frame, close code, HTTP status or socket error, and what
 * follows: renew the token, retry, or stop and say what to do (docs/service.md#connection-states). The service doesn't
 * document how it refuses a feed that isn't in the plan (docs/service.md#plan-refusals), hence "perhaps".
 */
import type { ErrorCode } from '../shared/base/errors.ts'
import type { Reason } from '../shared/core/status/status.ts'
import type { FeedId } from '../shared/base/units.ts'
import { CLOSE } from './control.ts'
import { FEEDS } from './feeds.ts'

/** `renew` the token once, then treat it as `refuse`. `reject`: retry a few times, then `refuse`. */
export type Consequence = 'renew' | 'refuse' | 'reject' | 'retry'
export interface Verdict {
  readonly then: Consequence
  readonly why: Reason
}
export interface ErrorFrame {
  readonly code: string
  readonly message: string
}

const PLAN =
  /\b(plan|premium|entitle\w*|subscribe to|not[_ ](included|permitted|allowed)|forbidden|payment)\b|plan_|_plan|permission/i

/** A server's own words on one line: shortened, without control characters and without our secrets. */
export function serverText(text: string, secret = ''): string {
  const plain = secret === '' ? text : text.replaceAll(secret, '…')
  const line = plain.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}

const reason = (code: ErrorCode, message: string, hint: string, closeCode: number | null = null): Reason => ({
  code,
  message,
  hint,
  closeCode,
})
/** Quotes the service's words without their final period, because ours follows. */
function quoted(text: string, closeCode: number | null = null): string {
  const words = text.replace(/[.\s]+$/, '')
  const code = closeCode === null ? '' : ` (code ${closeCode})`
  return words === '' ? '' : ` The service replied “${words}”${code}.`
}

function planReason(feed: FeedId, words: string, closeCode: number | null): Reason {
  const plan = FEEDS[feed].minimumPlan
  return reason(
    'plan',
    `Your account has no access to ${FEEDS[feed].title} (${FEEDS[feed].code}).${quoted(words, closeCode)}`,
    plan === null
      ? 'Your plan may not include this feed. Check the plan with the service, then retry.'
      : `Your plan may not include this feed (it needs ${plan}). Check the plan with the service, then retry.`,
    closeCode,
  )
}

/** Judges the close of an open connection. `words` and `error` come from the server, cleaned by `serverText`. */
export function verdictOfClose(feed: FeedId, closeCode: number, words: string, error: ErrorFrame | null): Verdict {
  const said = error === null ? words : error.message || words
  const { code, path } = FEEDS[feed]
  if (closeCode === CLOSE.unknownFeed || error?.code === 'unknown_feed') {
    return {
      then: 'refuse',
      why: reason(
        'unknown-feed',
        `The service doesn’t know the feed ${code} (${path}), or has disabled it.${quoted(said, closeCode)}`,
        'Ask the service whether this feed is enabled, then retry. Other feeds aren’t affected.',
        closeCode,
      ),
    }
  }
  // The words count only with a refusal: "upgrading our plant" with code 1012 isn't about the plan.
  const refusing = closeCode >= 4000 || (error !== null && error.code !== 'protocol_error')
  if (refusing && PLAN.test(`${error?.code ?? ''} ${error?.message ?? ''} ${words}`))
    return { then: 'refuse', why: planReason(feed, said, closeCode) }
  if (closeCode === CLOSE.authentication || error?.code === 'authentication_failed') {
    return { then: 'renew', why: tokenReason(said, closeCode) }
  }
  if (error?.code === 'protocol_error') {
    return {
      then: 'reject',
      why: reason(
        'protocol',
        `The service didn’t understand a message from Tapedeck.${quoted(said)}`,
        'Check this feed’s symbols for one the service doesn’t know, then retry.',
        closeCode,
      ),
    }
  }
  if (error !== null) {
    return {
      then: 'reject',
      why: reason(
        'protocol',
        `The service ended the feed ${code} with the error "${error.code}".${quoted(error.message)}`,
        'Your plan may not include this feed; the log pane has the details.',
        closeCode,
      ),
    }
  }
  if (closeCode === CLOSE.normal) {
    return {
      then: 'retry',
      why: reason(
        'offline',
        `The service closed the connection.${quoted(words)}`,
        'Tapedeck reconnects automatically.',
        1000,
      ),
    }
  }
  const lost = closeCode === 0 || closeCode === 1005 || closeCode === 1006
  return {
    then: 'retry',
    why: reason(
      'offline',
      lost ? 'The connection was lost.' : `The service ended the connection with code ${closeCode}.${quoted(words)}`,
      'Tapedeck reconnects automatically.',
      lost ? null : closeCode,
    ),
  }
}

/** A frame above the size limit: the frame and its connection are lost. */
export function oversizeReason(limitBytes: number): Reason {
  return reason(
    'protocol',
    `The service sent a message larger than ${limitBytes} bytes, which wasn’t stored.`,
    'Tapedeck reconnects automatically. The interruption is marked as a gap.',
    1009,
  )
}

/** Nothing was received in time. */
export const SILENT_REASON: Reason = reason(
  'timeout',
  'The service stopped responding on an open connection.',
  'Tapedeck reconnects automatically.',
)

/** The subscription was never acknowledged. */
export function unacknowledgedReason(feed: FeedId): Reason {
  return reason(
    'protocol',
    `The service didn’t acknowledge the subscription to ${FEEDS[feed].code}.`,
    'Tapedeck retries automatically. Your plan may not include this feed.',
  )
}

/** Acknowledged but silent. This can mean that the plan doesn't include the feed. */
export function muteReason(feed: FeedId): Reason {
  return reason(
    'plan',
    `The service acknowledged ${FEEDS[feed].code} and has sent nothing since.`,
    'Nothing may be trading now. If it should be, your plan may not include this feed.',
  )
}

export const ASLEEP_REASON: Reason = reason(
  'offline',
  'The computer went to sleep.',
  'Tapedeck reconnects when it wakes.',
)

/** The service refused the token. */
function tokenReason(words: string, closeCode: number | null): Reason {
  return reason(
    'token-expired',
    `The service refused the access token.${quoted(words, closeCode)}`,
    'Sign in again.',
    closeCode,
  )
}

/** The service refused a token it had just issued: ask the user, naming the plan as a possible cause. */
export function askReason(feed: FeedId, refused: Reason): Reason {
  return {
    ...refused,
    message: `The service refused a new access token too.${/ The service replied .*$/.exec(refused.message)?.[0] ?? ''}`,
    hint: `Sign in again. If other feeds work, your plan may not include ${FEEDS[feed].code}.`,
  }
}

/** Judges an upgrade request that got an HTTP status other than 101. */
export function verdictOfUpgrade(feed: FeedId, status: number, origin: string): Verdict {
  const { code, path } = FEEDS[feed]
  if (status === 403) {
    return {
      then: 'refuse',
      why: reason(
        'forbidden-origin',
        `The service doesn’t accept the origin ${origin} (HTTP 403).`,
        'Check that the base URL is exactly the address the service gave you, then retry.',
      ),
    }
  }
  if (status === 401) return { then: 'renew', why: tokenReason('', null) }
  if (status === 402) return { then: 'refuse', why: planReason(feed, '', null) }
  if (status === 404 || status === 410) {
    return {
      then: 'refuse',
      why: reason(
        'unknown-feed',
        `There is no feed ${code} at ${origin}${path} (HTTP ${status}).`,
        'Check the base URL; if it is right, the service has not enabled this feed. Then retry.',
      ),
    }
  }
  if (status >= 300 && status < 400) {
    return {
      then: 'refuse',
      why: reason(
        'bad-url',
        `${origin} redirects the connection (HTTP ${status}).`,
        'Tapedeck doesn’t follow redirects with a token. Enter the service’s final address as the base URL.',
      ),
    }
  }
  if (status === 429) {
    return {
      then: 'retry',
      why: reason(
        'offline',
        'The service asks to wait: too many requests (HTTP 429).',
        'Tapedeck retries automatically.',
      ),
    }
  }
  if (status >= 500) {
    return {
      then: 'retry',
      why: reason(
        'offline',
        `The service isn’t available right now (HTTP ${status}).`,
        'Tapedeck retries automatically.',
      ),
    }
  }
  return {
    then: 'reject',
    why: reason(
      'bad-url',
      `${origin} didn’t open a WebSocket (HTTP ${status}).`,
      'Check the base URL: another program may be using this address.',
    ),
  }
}

const TLS = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/

/** Whether a socket error code means that the TLS handshake failed. */
export function isTlsError(code: string): boolean {
  return TLS.test(code)
}

/** Judges a connection attempt that failed. `code` is Node's error code. */
export function verdictOfSocket(code: string, host: string): Verdict {
  if (isTlsError(code)) {
    return {
      then: 'retry',
      why: reason(
        'tls',
        `Couldn’t establish a secure connection to ${host} (${code}), so nothing was sent.`,
        'Check the address and this computer’s clock. A network with a sign-in page can also cause this.',
      ),
    }
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return {
      then: 'retry',
      why: reason(
        'offline',
        `Couldn’t find ${host}.`,
        'Check your connection and the base URL. Tapedeck retries automatically.',
      ),
    }
  }
  if (code === 'ECONNREFUSED') {
    return {
      then: 'retry',
      why: reason(
        'offline',
        `Nothing is listening at ${host}.`,
        'Is the service running? Tapedeck retries automatically.',
      ),
    }
  }
  if (code.startsWith('WS_ERR')) {
    return {
      then: 'retry',
      why: reason(
        'protocol',
        `${host} sent an invalid WebSocket frame (${code}).`,
        'Something on the network may be altering the connection. Tapedeck retries automatically.',
      ),
    }
  }
  if (code === 'ETIMEDOUT') {
    return {
      then: 'retry',
      why: reason(
        'timeout',
        `${host} didn’t respond in time.`,
        'Check your connection. Tapedeck retries automatically.',
      ),
    }
  }
  return {
    then: 'retry',
    why: reason(
      'offline',
      `Couldn’t reach ${host} (${code}).`,
      'Check your connection. Tapedeck retries automatically.',
    ),
  }
}
