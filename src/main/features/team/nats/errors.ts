/** What the NATS client rejects with, as sentences. Recognized by name, so that nothing of the client is loaded here. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { tlsFault } from '../tls-fault.ts'

const nameOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.constructor.name : '')

/** The error and what caused it, outermost first. */
function chainOf(thrown: unknown): Error[] {
  const chain: Error[] = []
  for (let one = thrown; one instanceof Error && chain.length < 5; one = one.cause) chain.push(one)
  return chain
}

/** The code of a JetStream error, or null. */
export function apiCode(thrown: unknown): number | null {
  for (const error of chainOf(thrown)) if ('code' in error && typeof error.code === 'number') return error.code
  return null
}

export const API = {
  wrongSequence: [10071, 10164],
  noMessage: 10037,
  noStream: 10059,
  noConsumer: 10014,
  unsettled: 10158,
} as const

const TLS_FAULT = /certificate|self.signed|altname|CERT|ssl|tls|wrong version number/i

/** Whether a server refused the user. One that was too slow to check it says so with the same error. */
export const isRefusal = (error: Error): boolean =>
  /^(Authorization|UserAuthenticationExpired)Error$/.test(nameOf(error)) && !/timeout/i.test(error.message)

/** Why connecting failed. */
export function connectError(thrown: unknown, servers: readonly string[]): CodedError {
  const where = servers.join(', ')
  const chain = chainOf(thrown)
  const text = chain.map((error) => `${error.message} ${'code' in error ? String(error.code) : ''}`).join(' ')
  if (chain.some((error) => /Authorization|Authentication/.test(nameOf(error))))
    return new CodedError('unauthorized', `The NATS server at ${where} refused the credentials.`, {
      hint: 'Check the user, the password, NKey or credentials file, and that the server knows this user.',
      cause: thrown,
    })
  if (TLS_FAULT.test(text))
    return new CodedError(
      'tls',
      `The connection to the NATS server at ${where} isn’t secure: ${tlsFault(chain.at(-1)?.message ?? '')}.`,
      {
        hint: 'Use the host name of the certificate, and name its authority with --nats-ca FILE.',
        cause: thrown,
      },
    )
  return new CodedError('offline', `Couldn’t reach a NATS server at ${where}.`, {
    hint: 'Check the address, and that nats-server runs there.',
    cause: thrown,
  })
}

/** The account or the server takes no more connections. */
export const TOO_MANY = /maximum (account active )?connections exceeded/i

export const fullError = (server: string, cause: unknown): CodedError =>
  new CodedError('offline', `The NATS server at ${server} takes no more connections.`, {
    hint: 'Raise max_connections in its configuration, or close connections of others.',
    cause,
  })

interface Limit {
  /** Codes of JetStream errors. */
  readonly codes: readonly number[]
  readonly text?: RegExp
  readonly why: string
  readonly hint: string
}

/** Limits that somebody set on the servers, and what to do. */
const LIMITS: readonly Limit[] = [
  {
    codes: [10002, 10023, 10028, 10047],
    why: 'its JetStream storage is full',
    hint: 'Raise max_file of the server’s jetstream block or max_store of the account, and give the disk room. Recorders keep what was refused.',
  },
  {
    codes: [10077],
    text: /maximum (bytes|messages)/,
    why: 'the stream is full',
    hint: 'A team’s streams have no such limit: remove it with `nats stream edit --max-bytes=-1 --max-msgs=-1`. Recorders keep what was refused.',
  },
  {
    codes: [10054],
    why: 'the stream takes only smaller messages',
    hint: 'A team’s streams have no such limit: remove it with `nats stream edit --max-msg-size=-1`.',
  },
  {
    codes: [10027],
    why: 'the account may have no more streams',
    hint: 'Raise max_streams of the account: a team has five, and one for each shard.',
  },
  {
    codes: [10026],
    why: 'the account may have no more consumers',
    hint: 'Raise max_consumers of the account: each recorder, archiver and terminal of a team has several.',
  },
]

function limitOf(code: number | null, text: string): Limit | undefined {
  return LIMITS.find((one) => code !== null && one.codes.includes(code) && (one.text?.test(text) ?? true))
}

/** Why a request failed. `what`: what was asked, such as `the stream TD_eu_1`. */
export function requestError(thrown: unknown, what: string): CodedError {
  if (thrown instanceof CodedError) return thrown
  const chain = chainOf(thrown)
  const named = (name: string) => chain.some((error) => nameOf(error) === name)
  const options = { cause: thrown }
  if (named('PermissionViolationError'))
    return new CodedError('forbidden', `This NATS user has no permission for ${what}.`, {
      ...options,
      hint: 'Grant it in the configuration of nats-server, or use another user.',
    })
  const code = apiCode(thrown)
  const limit = limitOf(code, chain.map(({ message }) => message).join())
  if (limit !== undefined)
    return new CodedError('server-error', `The NATS server refused ${what}: ${limit.why}.`, { ...options, hint: limit.hint }) // oxfmt-ignore
  // A consumer ends reading with this status when it is deleted, as it is with its stream.
  const isGone = chain.some(({ message }) => message === 'consumer deleted')
  if (code === API.noStream || code === API.noConsumer || named('NoRespondersError') || isGone)
    return new CodedError('not-found', `The NATS server doesn’t have ${what}.`, options)
  if (named('TimeoutError'))
    return new CodedError('timeout', `The NATS server didn’t respond to a request for ${what}.`, options)
  if (named('JetStreamApiError'))
    return new CodedError('server-error', `The NATS server refused ${what}: ${chain[0].message}.`, options)
  return new CodedError('offline', `The connection to the NATS server was lost during a request for ${what}.`, options)
}
