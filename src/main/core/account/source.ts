/**
 * Which service is used: the demo market or the user's own, and switching between them. A switch ends the session
 * and begins another, because data of different sources is never joined.
 */
import type { CredentialsInput } from '../../../shared/core/account/contract.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { type Source, DEMO_SOURCE } from '../../../shared/core/recording/session.ts'
import type { Settings } from '../../../shared/core/settings/settings.ts'
import type { AccountFields, Credentials } from './credentials.ts'
import type { DemoMarket, HostOptions } from '../../terminal/host.ts'

export interface SourceOptions {
  readonly credentials: Credentials
  readonly startDemo: () => Promise<DemoMarket>
}

export interface SourceControl {
  /** The current source, set before any feed starts. */
  readonly source: Source
  /** Selects the first source, from the command line or else the settings. Rejects with `usage` if it can't be used. */
  begin(settings: Settings, override: Pick<HostOptions, 'source' | 'account' | 'team' | 'mustSignIn'>): Promise<void>
  useDemo(): Promise<void>
  /** Shows what a team's recorders receive. */
  useTeam(team: string): Promise<void>
  /** Uses an account, storing its secrets in the keychain. Returns the fields to save in the settings. */
  useService(input: CredentialsInput): Promise<AccountFields>
  close(): Promise<void>
}

const sourceOf = ({ baseUrl, user }: AccountFields): Source => ({
  kind: 'service',
  origin: new URL(baseUrl).origin,
  user,
})

/** Call `begin` before reading the source. */
export function createSourceControl({ credentials, startDemo }: SourceOptions): SourceControl {
  let source: Source = DEMO_SOURCE
  let demo: DemoMarket | null = null

  const useDemo = async () => {
    demo ??= await startDemo()
    credentials.useDemo(demo.account)
    source = DEMO_SOURCE
  }
  const stopDemo = async () => {
    const old = demo
    demo = null
    await old?.close()
  }
  const useTeam = async (team: string, isGiven = false) => {
    credentials.useTeam(isGiven)
    await stopDemo()
    source = { kind: 'team', origin: team, user: '*' }
  }
  const useService = async (input: CredentialsInput) => {
    const fields = await credentials.save(input)
    await stopDemo()
    // Last, so that listeners find no data of the old source in the hub.
    source = sourceOf(fields)
    return fields
  }

  return {
    get source() {
      return source
    },
    useDemo,
    useTeam: (team) => useTeam(team),
    useService,
    async begin({ account }, override) {
      const kind = override.source ?? account.source
      if (kind === 'demo') return useDemo()
      if (kind === 'team') return useTeam(override.team?.name ?? account.team, override.team !== undefined)
      const { baseUrl = account.baseUrl, user = account.user, password, apiKey } = override.account ?? {}
      if (baseUrl === '' || user === '') {
        throw new CodedError('usage', 'No account is set up.', {
          hint: 'Use --base-url and --user, connect an account in the window once, or use --demo for the demo market.',
        })
      }
      const { plan, userField, passwordField } = account
      if (password !== undefined) {
        await useService({
          baseUrl,
          user,
          password,
          ...(apiKey === undefined ? {} : { apiKey }),
          plan,
          userField,
          passwordField,
        })
        return
      }
      const state = await credentials.useSaved({ baseUrl, user, plan, userField, passwordField })
      if (override.mustSignIn === true && !state.hasPassword) {
        throw new CodedError('usage', `There is no password for ${user} at ${state.baseUrl}.`, {
          hint: 'Set TAPEDECK_PASSWORD, or save the account with tapedeck login.',
        })
      }
      source = sourceOf(state)
    },
    close: stopDemo,
  }
}
