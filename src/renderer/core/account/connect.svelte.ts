/** The state of the account form: its fields, the test results, and the available actions. */
import type { CredentialsInput } from '../../../shared/core/account/contract.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { AccountState, ConnectionStep } from '../../../shared/core/status/status.ts'
import type { Transport } from '../../../shared/transport.ts'
import { t } from '../../../shared/base/text.ts'
import { urlProblem } from './base-url.ts'

export const CONNECTION_STEPS = ['reach', 'token', 'handshake', 'subscribe', 'first message'] as const

export class ConnectForm {
  baseUrl = $state('')
  user = $state('')
  password = $state('')
  apiKey = $state('')
  plan = $state('')
  userField = $state('username')
  passwordField = $state('password')
  busy = $state<'test' | 'connect' | null>(null)
  steps = $state.raw<readonly ConnectionStep[] | null>(null)
  problem = $state.raw<Failure | null>(null)
  /** A password is stored, so the user needn't type it again. */
  readonly hasPassword: boolean
  readonly hasApiKey: boolean
  readonly #transport: Transport

  constructor(transport: Transport, account: AccountState | undefined) {
    this.#transport = transport
    // Don't prefill from the demo market's account: users never connect to it.
    const own = account?.source === 'service' ? account : undefined
    this.baseUrl = own?.baseUrl ?? ''
    this.user = own?.user ?? ''
    this.plan = own?.plan ?? ''
    this.userField = own?.userField || 'username'
    this.passwordField = own?.passwordField || 'password'
    this.hasPassword = own?.hasPassword ?? false
    this.hasApiKey = own?.hasApiKey ?? false
  }

  /** Why the form can't be submitted yet, or null. */
  get missing(): string | null {
    const url = urlProblem(this.baseUrl)
    if (url) return url
    if (this.user.trim() === '') return t('Enter your user name or email address.')
    return this.password === '' && !this.hasPassword ? t('Enter your password.') : null
  }

  #input(): CredentialsInput {
    return {
      baseUrl: this.baseUrl.trim(),
      user: this.user.trim(),
      ...(this.password === '' ? {} : { password: this.password }),
      ...(this.apiKey === '' ? {} : { apiKey: this.apiKey }),
      ...(this.plan.trim() === '' ? {} : { plan: this.plan.trim() }),
      userField: this.userField.trim() || 'username',
      passwordField: this.passwordField.trim() || 'password',
    }
  }

  /** Tests each step without storing anything. */
  async test(): Promise<void> {
    if (this.busy) return
    this.busy = 'test'
    this.problem = null
    this.steps = null
    const result = await this.#transport.invoke('account.test', this.#input())
    this.busy = null
    if (result.ok) this.steps = result.value
    else this.problem = result.error
  }

  /**
   * Stores the credentials and switches to the service; null if that failed. The account has a problem if the service
   * couldn't be reached yet.
   */
  async connect(): Promise<AccountState | null> {
    if (this.busy) return null
    this.busy = 'connect'
    this.problem = null
    const result = await this.#transport.invoke('account.connect', this.#input())
    this.busy = null
    if (!result.ok) {
      this.problem = result.error
      return null
    }
    this.password = ''
    this.apiKey = ''
    return result.value
  }
}
