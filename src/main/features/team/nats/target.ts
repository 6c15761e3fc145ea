/** Which NATS servers to connect to, and as whom. Secrets never come from the command line. */
import { readFileSync } from 'node:fs'
import { UsageError } from '../../../command-line/command.ts'
import type { NatsTarget } from '../../../terminal/host.ts'
import { SEED } from '../sign/key-format.ts'

export type { NatsTarget }

const DEFAULT_PORT = '4222'
/** Two blocks between dashed lines: a JWT, then a seed. */
const CREDS = /^-{3,}.*-{3,}\s+\S+\s+-{3,}.*-{3,}\s[\s\S]*^-{3,}.*-{3,}\s+SU[A-Z2-7]{56}\s/m

/**
 * Reads `nats://a:4222,nats://b` or `tls://…`, the credentials file of `--nats-creds`, the authority of `--nats-ca`, and
 * the environment variables TAPEDECK_NATS_PASSWORD and TAPEDECK_NATS_SEED. Throws `UsageError`.
 */
export function readNatsTarget(
  text: string,
  files: { readonly creds?: string | undefined; readonly ca?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): NatsTarget {
  const urls = text.split(',').map((one) => readUrl(one.trim()))
  const schemes = new Set(urls.map(({ protocol }) => protocol))
  const users = new Set(urls.map(({ username }) => username).filter(Boolean))
  if (schemes.size > 1) throw new UsageError('use nats:// or tls:// for all servers, not both')
  if (users.size > 1) throw new UsageError('use the same user for all servers')
  const user = [...users][0]
  const password = env.TAPEDECK_NATS_PASSWORD || null
  const seed = env.TAPEDECK_NATS_SEED || null
  // The client says nothing of its own about them: no server could be reached.
  if (seed !== null && !SEED.test(seed))
    throw new UsageError('TAPEDECK_NATS_SEED isn’t the seed of an NKey, which starts with SU')
  const creds = files.creds === undefined ? null : readText('nats-creds', files.creds)
  if (creds !== null && !CREDS.test(creds))
    throw new UsageError(`the file of --nats-creds, ${files.creds}, doesn’t hold the JWT and the seed of a NATS user`)
  const ca = files.ca === undefined ? null : readText('nats-ca', files.ca)
  if (user !== undefined && password === null)
    throw new UsageError(`put the password of the NATS user ${user} into TAPEDECK_NATS_PASSWORD`)
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`),
    tls: schemes.has('tls:') || ca !== null,
    user: user === undefined ? null : decodeURIComponent(user),
    password,
    seed,
    creds,
    ca,
  }
}

function readUrl(text: string): URL {
  let url: URL
  try {
    url = new URL(text.includes('://') ? text : `nats://${text}`)
  } catch {
    throw new UsageError(`"${withoutSecret(text)}" isn’t a NATS URL; write nats://HOST:PORT`)
  }
  // The password would be visible to every user of the machine.
  if (url.password !== '')
    throw new UsageError('leave the password out of the NATS URL and put it into TAPEDECK_NATS_PASSWORD')
  if (!['nats:', 'tls:'].includes(url.protocol) || url.hostname === '' || !['', '/'].includes(url.pathname))
    throw new UsageError(`"${withoutSecret(text)}" isn’t a NATS URL; write nats://HOST:PORT`)
  return url
}

const withoutSecret = (text: string): string => text.replace(/:[^:@/]*@/, '@')

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`couldn’t read the file of --${option}, ${file}`, { cause })
  }
}
