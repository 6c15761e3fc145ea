/** The account in use. Its secrets leave the keychain only to be sent to the service. */
import type { CredentialsInput } from '../../../shared/core/account/contract.ts'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import {
  isOutOfReach,
  type AccountState,
  type ConnectionStep,
  type Reason,
} from '../../../shared/core/status/status.ts'
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
   * `insecure-url`. If the service is currently unreachable, returns why instead; null: signed in.
   */
  check(input: CredentialsInput): Promise<Reason | null>
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
  return new AccountCredentials(options)
}

class AccountCredentials implements Credentials {
  readonly tokenSource: TokenSource
  readonly #options: CredentialsOptions
  readonly #tokens: ReturnType<typeof createTokenSource>
  #inUse: InUse = { is: 'none' }
  #opening: Promise<Keychain> | null = null
  #opened: Keychain | null = null
  #has = { password: false, apiKey: false }
  #token: 'none' | 'held' | 'refused' = 'none'
  #problem: Reason | null = null

  constructor(options: CredentialsOptions) {
    this.#options = options
    this.#tokens = createTokenSource(
      () => this.#request(),
      options.clock,
      (outcome) => this.#signedIn(outcome),
    )
    this.tokenSource = {
      get: () => this.#noted(this.#tokens.get()),
      renew: (refused) => this.#noted(this.#tokens.renew(refused)),
    }
  }

  keychain(): Promise<Keychain> {
    this.#opening ??= this.#openKeychain()
    return this.#opening
  }

  baseUrl(): string {
    return this.account().baseUrl
  }

  account(): AccountState {
    const fields = this.#inUse.is === 'service' ? this.#inUse.fields : null
    const demo = this.#inUse.is === 'demo' ? this.#inUse.demo : null
    const expiresMs = this.#tokens.held?.expiresMs ?? null
    const expired = expiresMs !== null && expiresMs <= this.#options.clock.wallMs()
    return {
      source: this.#inUse.is === 'none' ? 'demo' : this.#inUse.is,
      isTeamGiven: this.#inUse.is === 'team' && this.#inUse.isGiven,
      baseUrl: fields?.baseUrl ?? demo?.baseUrl ?? '',
      user: fields?.user ?? demo?.user ?? '',
      plan: fields?.plan ?? '',
      hasPassword: this.#has.password,
      hasApiKey: this.#has.apiKey,
      keychain: this.#opened?.kind ?? 'unprobed',
      token: this.#token === 'held' ? (expired ? 'expired' : 'valid') : this.#token,
      problem: this.#problem,
      userField: fields?.userField ?? DEFAULT_FIELDS.userField,
      passwordField: fields?.passwordField ?? DEFAULT_FIELDS.passwordField,
    }
  }

  useDemo(demo: DemoMarket['account']): void {
    this.#use({ is: 'demo', demo }, { password: true, apiKey: false })
  }

  useTeam(isGiven: boolean): void {
    this.#use({ is: 'team', isGiven }, { password: false, apiKey: false })
  }

  async useSaved(saved: AccountFields): Promise<AccountState> {
    const fields = { ...saved, baseUrl: serviceOrigin(saved.baseUrl).origin }
    const password = (await this.#secret(fields, 'password')) !== null
    const apiKey = (await this.#secret(fields, 'api-key')) !== null
    this.#use({ is: 'service', fields }, { password, apiKey })
    return this.account()
  }

  async save(input: CredentialsInput): Promise<AccountFields> {
    const fields = fieldsOf(input)
    await this.#passwordOf(input, fields)
    const chain = await this.keychain()
    if (input.password) await chain.set(accountKey(fields, 'password'), input.password)
    if (input.apiKey) await chain.set(accountKey(fields, 'api-key'), input.apiKey)
    const apiKey = Boolean(input.apiKey) || (await this.#secret(fields, 'api-key')) !== null
    this.#use({ is: 'service', fields }, { password: true, apiKey })
    return fields
  }

  async forget(): Promise<void> {
    if (this.#inUse.is !== 'service') return
    const { fields } = this.#inUse
    const chain = await this.keychain()
    this.#use({ is: 'none' }, { password: false, apiKey: false })
    await chain.delete(accountKey(fields, 'password'))
    await chain.delete(accountKey(fields, 'api-key'))
  }

  async apiKey(): Promise<string | null> {
    switch (this.#inUse.is) {
      case 'service':
        return this.#secret(this.#inUse.fields, 'api-key')
      case 'demo':
        return this.#inUse.demo.apiKey
      case 'none':
      case 'team':
        return null
    }
  }

  async check(input: CredentialsInput): Promise<Reason | null> {
    try {
      await requestToken(await this.#requestOf(input), this.#options.clock)
      return null
    } catch (thrown) {
      const { code, message, hint = '' } = toFailure(thrown)
      if (!isOutOfReach({ code })) throw thrown
      return { code, message, hint, closeCode: null }
    }
  }

  testConnection(input: CredentialsInput): Promise<readonly ConnectionStep[]> {
    return runConnectionTest(() => this.#requestOf(input), this.#options.clock)
  }

  async #openKeychain(): Promise<Keychain> {
    const { memoryOnly, file, keychain = (fell: () => void) => openKeychain({ fell }) } = this.#options
    if (memoryOnly) this.#opened = memoryKeychain('it was turned off')
    else if (file?.exists() === true) this.#opened = file.keychain
    else this.#opened = await keychain(() => this.#fell())
    return this.#opened
  }

  #fell(): void {
    this.#problem = {
      code: 'keychain',
      message: 'The system keychain stopped responding. Your password and key are now forgotten when Tapedeck quits.',
      hint: 'Enter the password again if asked. Restart Tapedeck once the keychain responds.',
      closeCode: null,
    }
    this.#changed()
  }

  #signedIn(outcome: Token | CodedError): void {
    if (outcome instanceof CodedError) {
      const { code, message, hint = '' } = toFailure(outcome)
      if (code === 'wrong-password' || code === 'token-missing') this.#token = 'refused'
      this.#problem = { code, message, hint, closeCode: null }
    } else {
      this.#token = 'held'
      this.#problem = null
    }
    this.#changed()
  }

  async #request(): Promise<TokenRequest> {
    switch (this.#inUse.is) {
      case 'demo':
        return { ...this.#inUse.demo, ...DEFAULT_FIELDS }
      case 'service': {
        const { baseUrl, user, userField, passwordField } = this.#inUse.fields
        const password = await this.#secret(this.#inUse.fields, 'password')
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
    }
  }

  async #requestOf(input: CredentialsInput): Promise<TokenRequest> {
    const fields = fieldsOf(input)
    const password = await this.#passwordOf(input, fields)
    const { baseUrl, user, userField, passwordField } = fields
    return { baseUrl, user, password, userField, passwordField }
  }

  /** The password of the input, or the stored one if the input has none. Rejects with `wrong-password`. */
  async #passwordOf(input: CredentialsInput, fields: AccountFields): Promise<string> {
    this.#note(input.password)
    this.#note(input.apiKey)
    const given = input.password === undefined || input.password === '' ? null : input.password
    const password = given ?? (await this.#secret(fields, 'password'))
    if (password !== null) return password
    throw new CodedError('wrong-password', 'The password is missing.', { hint: 'Enter this account’s password.' })
  }

  async #secret(fields: AccountFields, kind: SecretKind): Promise<string | null> {
    const found = await (await this.keychain()).get(accountKey(fields, kind))
    this.#note(found)
    return found
  }

  async #noted(token: Promise<Token>): Promise<Token> {
    this.#note((await token).access)
    return token
  }

  #note(secret: string | null | undefined): void {
    this.#options.known?.note(secret)
  }

  #use(next: InUse, secrets: { password: boolean; apiKey: boolean }): void {
    this.#tokens.clear()
    this.#token = 'none'
    this.#problem = null
    this.#inUse = next
    this.#has = secrets
    this.#changed()
  }

  #changed(): void {
    this.#options.onChange?.(this.account())
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
