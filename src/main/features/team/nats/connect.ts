/** Connects to a team's NATS servers. Their client is loaded here, when a team is used, and nowhere else. */
import type { NatsConnection } from '@nats-io/transport-node'
import { CodedError } from '../../../../shared/base/errors.ts'
import type { TeamName } from '../names.ts'
import { MIN_PAYLOAD } from '../frame/parts.ts'
import { readClosingError } from './closing-error.ts'
import { connectError, fullError, requestError, TOO_MANY } from './errors.ts'
import { NatsTeamLog } from './nats-team-log.ts'
import type { NatsTarget } from '../../../terminal/host.ts'
import { ServerOrder } from './next-server.ts'
import { Refusals } from './refusals.ts'
import type { TeamLog } from './team-log.ts'

/** The oldest nats-server for production: older ones lose acknowledged messages in more ways. */
const OLDEST = [2, 11] as const

/** How long a request waits: one that reached a stream without a leader is never answered, and is asked again. */
const REPLY_MS = 2_000

/** How long to wait before a server is tried again, and one that refused the user, ms. */
const RECONNECT_MS = 500
const REFUSED_MS = 2_000
const JITTER_MS = 100
const JITTER_TLS_MS = 1_000

export interface ConnectOptions {
  readonly target: NatsTarget
  readonly team: TeamName
  /** What the server lists the connection as, such as `tapedeck record`. */
  readonly name: string
  /** Accept servers below 2.11, for tests and trials. */
  readonly allowOld: boolean
  readonly timeoutMs?: number
}

/**
 * Connects, and checks the server's version and that it has JetStream. Rejects with a `CodedError` whose sentence says
 * what to do: `offline` if no server can be reached, `unauthorized`, `tls`, `unexpected-answer` for an unsuitable server.
 */
export async function connectTeam(options: ConnectOptions): Promise<TeamLog> {
  const { target, team, name, allowOld, timeoutMs = 5_000 } = options
  const [transport, jetstream, kv] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
    import('@nats-io/kv'),
  ])
  const encoder = new TextEncoder()
  const refusals = new Refusals(target.servers)
  const jitterMs = target.tls ? JITTER_TLS_MS : JITTER_MS
  const order = new ServerOrder()
  /** `isAlone`: connects to these servers only, whatever others they name. */
  const open = async (servers: readonly string[], isAlone = false): Promise<NatsConnection> => {
    const connecting = transport.connect({
      servers: [...servers],
      name,
      timeout: timeoutMs,
      maxReconnectAttempts: -1,
      // Otherwise the client closes for good after two refusals, and nothing recovers when the user is known again.
      ignoreAuthErrorAbort: true,
      reconnectDelayHandler: () => (refusals.why === null ? RECONNECT_MS : REFUSED_MS) + Math.random() * jitterMs,
      // A server that hangs is noticed after 6 to 9 s, which leaves time to reach another one within 15 s.
      pingInterval: 3_000,
      maxPingOut: 2,
      ignoreClusterUpdates: isAlone,
      reconnectToServer: (pool) => (isAlone ? pool[0] : order.next(pool)),
      noAsyncTraces: true,
      ...(target.creds === null ? {} : { authenticator: transport.credsAuthenticator(encoder.encode(target.creds)) }),
      ...(target.seed === null ? {} : { authenticator: transport.nkeyAuthenticator(encoder.encode(target.seed)) }),
      ...(target.user === null ? {} : { user: target.user, pass: target.password ?? '' }),
      ...(target.tls ? { tls: target.ca === null ? {} : { ca: target.ca } } : {}),
    })
    return connecting.catch((thrown: unknown) => {
      throw connectError(thrown, servers)
    })
  }
  const connection = await open(target.servers).catch((thrown: unknown) =>
    explain(thrown, target.servers, order.isExhausted, open),
  )
  order.connected()
  try {
    checkServer(connection, allowOld)
    const manager = await jetstream.jetstreamManager(connection, { checkAPI: false, timeout: REPLY_MS })
    await checkJetStream(() => manager.getAccountInfo())
    return new NatsTeamLog({
      team,
      connection,
      manager,
      client: manager.jetstream(),
      buckets: new kv.Kvm(manager.jetstream()),
      refusals,
    })
  } catch (thrown) {
    await connection.close().catch(() => {})
    throw thrown
  }
}

/**
 * Throws what is wrong with the servers that can be reached, where some can't: the client reports only the last one that
 * it tried, and not that a server is there and takes no more connections.
 */
async function explain(
  thrown: unknown,
  servers: readonly string[],
  isUnclear: boolean,
  open: (servers: readonly string[], isAlone: boolean) => Promise<NatsConnection>,
): Promise<never> {
  if ((isUnclear || servers.length > 1) && thrown instanceof CodedError && thrown.code === 'offline') {
    const attempts = await Promise.allSettled(servers.map((one) => open([one], true)))
    for (const one of attempts) if (one.status === 'fulfilled') await one.value.close()
    for (const one of attempts)
      if (one.status === 'rejected' && one.reason instanceof CodedError && one.reason.code !== 'offline')
        throw one.reason
  }
  if (thrown instanceof CodedError && thrown.code === 'offline') {
    const errors = await Promise.all(servers.map(readClosingError))
    const at = errors.findIndex((text) => text !== null && TOO_MANY.test(text))
    if (at >= 0) throw fullError(servers[at], thrown)
  }
  throw thrown
}

function checkServer({ info }: NatsConnection, allowOld: boolean): void {
  const version = info?.version ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (!allowOld && (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])))
    throw new CodedError(
      'unexpected-answer',
      `nats-server ${version} is too old: a team needs ${OLDEST.join('.')} or newer.`,
      { hint: 'Update nats-server. For a trial, accept it in Settings → Team, or with --allow-old-nats.' },
    )
  if ((info?.max_payload ?? 0) < MIN_PAYLOAD)
    throw new CodedError(
      'unexpected-answer',
      `The NATS server accepts messages of at most ${info?.max_payload} bytes.`,
      {
        hint: 'Set max_payload in nats-server.conf to 1MB.',
      },
    )
}

/** A user who may not ask about the account may still be allowed to use it. */
async function checkJetStream(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask()
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    if (error.constructor.name === 'JetStreamNotEnabled')
      throw new CodedError('unexpected-answer', 'JetStream isn’t enabled on the NATS server.', {
        hint: 'Add `jetstream { store_dir: … }` to nats-server.conf, and enable it for the account.',
        cause: thrown,
      })
    const coded = requestError(thrown, 'its JetStream account')
    if (coded.code !== 'forbidden') throw coded
  }
}
