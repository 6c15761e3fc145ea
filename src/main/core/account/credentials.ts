/** The account in use. Its secrets leave the keychain only to be sent to the service. */
import type { CredentialsInput } from '../../../shared/core/account/contract.ts'
import { CodedError, missingCase, toFailure } from '../../../shared/base/errors.ts'
import type { AccountState, ConnectionStep, Reason } from '../../../shared/core/status/status.ts'
import type { Clock } from '../../base/clock.ts'
import type { DemoMarket } from '../../terminal/host.ts'
import { serviceOrigin } from '../../base/service-address.ts'
import type { CredentialsFile } from './credentials-file.ts'
import { memoryKeychain, openKeychain, type Keychain } from './keychain.ts'
import type { KnownSecrets } from '../../base/known-secrets.ts'
import { runConnectionTest } from './connection-test.ts'
import { createTokenSource, requestToken, type TokenRequest, type Token, type TokenSource } from './token.ts'

/** An account without its secrets, as the settings store it. */
export interface AccountFields {
  readonly baseUrl: string
  readonly user: string
  readonly plan: string
  readonly userField: string
  readonly passwordField: string
}

export interface CredentialsOptions {
  readonly clock: Clock
  /** Use neither the system's keychain nor a file. */
  readonly memoryOnly?: boolean | undefined
  /** Used instead of the keychain if it exists. */
  readonly file?: CredentialsFile | undefined
  /** For tests; default: the system's keychain. */
  readonly keychain?: ((fell: () => void) => Promise<Keychain>) | undefined
  /** Gets every secret that is used, so that it can be redacted. */
  readonly known?: Pick<KnownSecrets, 'note'> | undefined
  /** Called when the account as windows see it changes. */
  readonly onChange?: ((account: AccountState) => void) | undefined
}

export interface Credentials {
  /** Where secrets are stored. Opened, and probed, at the first call. */
  keychain(): Promise<Keychain>
  /** Signs the feeds in; the same object for every account. */
  readonly tokenSource: TokenSource
  /** Base URL of the account in use; '' before any. */
  baseUrl(): string
  /** The account without its secrets. */
  account(): AccountState
  useDemo(demo: DemoMarket['account']): void
  /** `isGiven`: options of this program chose it. */
  useTeam(isGiven: boolean): void
  /** Uses an account whose secrets were saved earlier (settings at start). Rejects with `bad-url`, `insecure-url`. */
  useSaved(fields: AccountFields): Promise<AccountState>
  /** Stores the secrets in the keychain, then uses the account. Returns the fields for the settings. */
  save(input: CredentialsInput): Promise<AccountFields>
  /** Deletes the secrets of the account in use. Call `useDemo` after it. */
  forget(): Promise<void>
  /** Key of the REST endpoints; null: none. */
  apiKey(): Promise<string | null>
  /**
   * Signs in once without storing anything. Rejects with `wrong-password`, `token-missing`, `bad-url` or
   * `insecure-url`, but not if the service is currently unreachable.
   */
  check(input: CredentialsInput): Promise<void>
  /** Runs the steps of the connection test without storing anything; a failed step is the last one. */
  testConnection(input: CredentialsInput): Promise<readonly ConnectionStep[]>
}

type SecretKind = 'password' | 'api-key'
type InUse =
  | { readonly is: 'none' }
  | { readonly is: 'demo'; readonly demo: DemoMarket['account'] }
  | { readonly is: 'service'; readonly fields: AccountFields }
  /** The recorders of a team have the accounts. */
  | { readonly is: 'team'; readonly isGiven: boolean }

const DEFAULT_FIELDS = { userField: 'username', passwordField: 'password' } as const

export function createCredentials(options: CredentialsOptions): Credentials {
  const { clock } = options
  let inUse: InUse = { is: 'none' }
  let opening: Promise<Keychain> | null = null
  let opened: Keychain | null = null
  let has = { password: false, apiKey: false }
  let token: 'none' | 'held' | 'refused' = 'none'
  let problem: Reason | null = null

  function fell(): void {
    problem = {
      code: 'keychain',
      message: 'The system keychain stopped responding. Your password and key are now forgotten when Tapedeck quits.',
      hint: 'Enter the password again if asked. Restart Tapedeck once the keychain responds.',
      closeCode: null,
    }
    changed()
  }

  function keychain(): Promise<Keychain> {
    opening ??= (async () => {
      if (options.memoryOnly) opened = memoryKeychain('it was turned off')
      else if (options.file?.exists() === true) opened = options.file.keychain
      else opened = await (options.keychain ?? ((fell) => openKeychain({ fell })))(fell)
      return opened
    })()
    return opening
  }

  const tokens = createTokenSource(request, clock, (outcome) => {
    if (outcome instanceof CodedError) {
      const { code, message, hint = '' } = toFailure(outcome)
      token = code === 'wrong-password' || code === 'token-missing' ? 'refused' : token
      problem = { code, message, hint, closeCode: null }
    } else {
      token = 'held'
      problem = null
    }
    changed()
  })

  async function request(): Promise<TokenRequest> {
    switch (inUse.is) {
      case 'demo':
        return { ...inUse.demo, ...DEFAULT_FIELDS }
      case 'service': {
        const { baseUrl, user, userField, passwordField } = inUse.fields
        const password = await secret(inUse.fields, 'password')
        if (password === null) {
          throw new CodedError('wrong-password', 'Tapedeck doesn’t have this account’s password.', {
            hint: 'Enter it again under “Connect your account”, or with: tapedeck login.',
          })
        }
        return { baseUrl, user, password, userField, passwordField }
      }
      case 'none':
      case 'team':
        throw new CodedError('wrong-password', 'No account is connected.', { hint: 'Connect your account first.' })
      default:
        return missingCase(inUse)
    }
  }

  const note = (secret: string | null | undefined): void => options.known?.note(secret)
  const secret = async (fields: AccountFields, kind: SecretKind): Promise<string | null> => {
    const found = await (await keychain()).get(accountKey(fields, kind))
    note(found)
    return found
  }
  const noted = async (token: Promise<Token>): Promise<Token> => {
    note((await token).access)
    return token
  }

  function account(): AccountState {
    const fields = inUse.is === 'service' ? inUse.fields : null
    const demo = inUse.is === 'demo' ? inUse.demo : null
    const expiresMs = tokens.held?.expiresMs ?? null
    const expired = expiresMs !== null && expiresMs <= clock.wallMs()
    return {
      source: inUse.is === 'none' ? 'demo' : inUse.is,
      isTeamGiven: inUse.is === 'team' && inUse.isGiven,
      baseUrl: fields?.baseUrl ?? demo?.baseUrl ?? '',
      user: fields?.user ?? demo?.user ?? '',
      plan: fields?.plan ?? '',
      hasPassword: has.password,
      hasApiKey: has.apiKey,
      keychain: opened?.kind ?? 'unprobed',
      token: token === 'held' ? (expired ? 'expired' : 'valid') : token,
      tokenExpiresMs: expiresMs,
      problem,
      userField: fields?.userField ?? DEFAULT_FIELDS.userField,
      passwordField: fields?.passwordField ?? DEFAULT_FIELDS.passwordField,
    }
  }

  function changed(): void {
    options.onChange?.(account())
  }

  function use(next: InUse, secrets: { password: boolean; apiKey: boolean }): void {
    tokens.clear()
    token = 'none'
    problem = null
    inUse = next
    has = secrets
    changed()
  }

  /** The password of the input, or the stored one if the input has none. */
  async function passwordOf(input: CredentialsInput, fields: AccountFields): Promise<string | null> {
    note(input.password)
    note(input.apiKey)
    return input.password === undefined || input.password === '' ? secret(fields, 'password') : input.password
  }

  async function requestOf(input: CredentialsInput): Promise<TokenRequest> {
    const fields = fieldsOf(input)
    const password = await passwordOf(input, fields)
    if (password === null) {
      throw new CodedError('wrong-password', 'The password is missing.', { hint: 'Enter this account’s password.' })
    }
    const { baseUrl, user, userField, passwordField } = fields
    return { baseUrl, user, password, userField, passwordField }
  }

  return {
    keychain,
    tokenSource: { get: () => noted(tokens.get()), renew: (refused) => noted(tokens.renew(refused)) },
    baseUrl: () => account().baseUrl,
    account,
    useDemo(demo) {
      use({ is: 'demo', demo }, { password: true, apiKey: false })
    },
    useTeam(isGiven) {
      use({ is: 'team', isGiven }, { password: false, apiKey: false })
    },
    async useSaved(saved) {
      const fields = { ...saved, baseUrl: serviceOrigin(saved.baseUrl).origin }
      const password = (await secret(fields, 'password')) !== null
      const apiKey = (await secret(fields, 'api-key')) !== null
      use({ is: 'service', fields }, { password, apiKey })
      return account()
    },
    async save(input) {
      const fields = fieldsOf(input)
      const password = await passwordOf(input, fields)
      if (password === null) {
        throw new CodedError('wrong-password', 'The password is missing.', { hint: 'Enter this account’s password.' })
      }
      const chain = await keychain()
      if (input.password) await chain.set(accountKey(fields, 'password'), input.password)
      if (input.apiKey) await chain.set(accountKey(fields, 'api-key'), input.apiKey)
      const apiKey = Boolean(input.apiKey) || (await secret(fields, 'api-key')) !== null
      use({ is: 'service', fields }, { password: true, apiKey })
      return fields
    },
    async forget() {
      if (inUse.is !== 'service') return
      const { fields } = inUse
      const chain = await keychain()
      use({ is: 'none' }, { password: false, apiKey: false })
      await chain.delete(accountKey(fields, 'password'))
      await chain.delete(accountKey(fields, 'api-key'))
    },
    async apiKey() {
      switch (inUse.is) {
        case 'service':
          return secret(inUse.fields, 'api-key')
        case 'demo':
          return inUse.demo.apiKey
        case 'none':
        case 'team':
          return null
        default:
          return missingCase(inUse)
      }
    },
    async check(input) {
      await requestToken(await requestOf(input), clock).catch((thrown: unknown) => {
        const { code } = toFailure(thrown)
        if (code !== 'offline' && code !== 'timeout' && code !== 'tls') throw thrown
      })
    },
    testConnection: (input) => runConnectionTest(() => requestOf(input), clock),
  }
}

/** The keychain entry of a secret: one per kind, user and origin. */
function accountKey(fields: { readonly baseUrl: string; readonly user: string }, kind: SecretKind): string {
  return `${kind}:${fields.user}@${fields.baseUrl}`
}

function fieldsOf(input: CredentialsInput): AccountFields {
  return {
    baseUrl: serviceOrigin(input.baseUrl).origin,
    user: input.user.trim(),
    plan: input.plan ?? '',
    userField: input.userField?.trim() || DEFAULT_FIELDS.userField,
    passwordField: input.passwordField?.trim() || DEFAULT_FIELDS.passwordField,
  }
}
