/** How this terminal reaches its team: from the command line, or from the settings and the keychain. */
import type { TeamInput } from '../../../shared/features/team/contract.ts'
import type { TeamSettings } from '../../../shared/features/team/settings.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { Keychain } from '../../core/account/keychain.ts'
import { UsageError } from '../../command-line/command.ts'
import type { TeamAccess } from '../../terminal/host.ts'
import { readHistoryTarget, type HistoryTarget } from './history/target.ts'
import { readTeamName, type TeamName } from './names.ts'
import { readNatsTarget, type NatsTarget } from './nats/target.ts'
import type { TrustedKeys } from './sign/authorship.ts'
import { readTrustText } from './sign/trust.ts'

/** Everything that is needed to reach a team, secrets included. */
export interface TeamAddress {
  readonly team: TeamName
  readonly target: NatsTarget
  readonly history: HistoryTarget | null
  readonly allowOld: boolean
  /** Public keys of its recorders; null: follow everything that isn't forged. */
  readonly trusted: TrustedKeys | null
}

/** Secrets in the keychain, by name. */
const SECRETS = ['password', 'seed', 'creds', 'historyPassword'] as const
type SecretName = (typeof SECRETS)[number]
type Secrets = { readonly [K in SecretName]?: string | undefined }

type Address = Pick<TeamInput, 'name' | 'upstream' | 'history' | 'ca' | 'allowOldNats' | 'trust'>

const accountOf = (secret: SecretName, { name, upstream }: Pick<Address, 'name' | 'upstream'>): string =>
  `team-${secret}:${name}@${upstream}`

/** The address that a command line gives. Throws like `addressOf`. */
export function addressOfHost(access: TeamAccess): TeamAddress {
  const { name, target, history = '', allowOld, trusted = null } = access
  return readAddress({ name, history, allowOld, trust: () => trusted, target: () => target })
}

/** The address of the settings, with the secrets of the keychain. Rejects like `addressOf`. */
export async function addressOfSettings(name: string, saved: TeamSettings, keychain: Keychain): Promise<TeamAddress> {
  return addressOf({ name, ...saved }, await storedSecrets({ name, ...saved }, keychain))
}

/** The address of a form: what it doesn't give is taken from the keychain. Rejects like `addressOf`. */
export async function addressOfInput(input: TeamInput, keychain: Keychain): Promise<TeamAddress> {
  const stored = await storedSecrets(input, keychain)
  const given = Object.fromEntries(SECRETS.flatMap((name) => (input[name] ? [[name, input[name]]] : [])))
  return addressOf(input, { ...stored, ...given })
}

/** Stores the secrets of a form. */
export async function saveSecrets(input: TeamInput, keychain: Keychain): Promise<void> {
  for (const name of SECRETS) {
    const secret = input[name]
    if (secret) await keychain.set(accountOf(name, input), secret)
  }
}

async function storedSecrets(address: Address, keychain: Keychain): Promise<Secrets> {
  const found = await Promise.all(
    SECRETS.map(async (name) => [name, (await keychain.get(accountOf(name, address))) ?? undefined] as const),
  )
  return Object.fromEntries(found)
}

/** Throws `bad-url` with a sentence if a name or URL is invalid. */
function addressOf({ name, upstream, history, ca, allowOldNats, trust }: Address, secrets: Secrets): TeamAddress {
  const { password, seed, creds, historyPassword } = secrets
  const address = readAddress({
    name,
    history,
    allowOld: allowOldNats,
    trust: () => readTrustText(trust),
    target() {
      const env = { TAPEDECK_NATS_PASSWORD: password, TAPEDECK_NATS_SEED: seed }
      const target = readNatsTarget(upstream, { ca: ca === '' ? undefined : ca }, env)
      return { ...target, creds: creds ?? null }
    },
  })
  if (address.history === null || historyPassword === undefined) return address
  const url = new URL(address.history.url)
  url.password = encodeURIComponent(historyPassword)
  return { ...address, history: { ...address.history, url: url.href } }
}

function readAddress({
  name,
  history,
  allowOld,
  trust,
  target,
}: {
  readonly name: string
  readonly history: string
  readonly allowOld: boolean
  readonly trust: () => TrustedKeys | null
  readonly target: () => NatsTarget
}): TeamAddress {
  const team = readTeamName(name)
  if (team === null) {
    throw new CodedError('bad-arguments', name === '' ? 'No team is set up.' : `"${name}" isn’t the name of a team.`, {
      hint: 'A team’s name has 1 to 31 lower-case letters and digits, and starts with a letter.',
    })
  }
  try {
    const place = history === '' ? null : readHistoryTarget(history)
    return { team, target: target(), history: place, allowOld, trusted: trust() }
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown
    const { message } = thrown
    throw new CodedError('bad-url', `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`, { cause: thrown })
  }
}
