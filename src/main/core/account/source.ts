/**
 * Which service is watched: the demo market or the user's own, and the change between them. A change
 * ends the recording and begins another (nothing is ever joined across sources).
 */
import type { CredentialsInput } from '../../../shared/core/account/contract.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { Source } from '../../../shared/core/recording/recording.ts'
import type { Settings } from '../../../shared/core/settings/settings.ts'
import type { AccountFields, Credentials } from './credentials.ts'
import type { DemoMarket } from './demo-market.ts'
import type { HostOptions } from '../../terminal/host.ts'

export interface SourceOptions {
  readonly credentials: Credentials
  readonly startDemo: () => Promise<DemoMarket>
}

export interface SourceControl {
  /** The source in use; settled before any feed starts. */
  readonly source: Source
  /** Before the first: as the command line or the settings say. */
  begin(settings: Settings, override: Pick<HostOptions, 'source' | 'account'>): Promise<void>
  useDemo(): Promise<void>
  /** Uses an account, storing its secrets in the keychain; answers what the settings should keep. */
  useService(input: CredentialsInput): Promise<AccountFields>
  close(): Promise<void>
}

const DEMO: Source = { kind: 'demo', origin: 'demo', user: '' }
const sourceOf = ({ baseUrl, user }: AccountFields): Source => ({
  kind: 'service',
  origin: new URL(baseUrl).origin,
  user,
})

/** No source yet: `begin` comes first. */
export function createSourceControl({ credentials, startDemo }: SourceOptions): SourceControl {
  let source: Source = DEMO
  let demo: DemoMarket | null = null

  const useDemo = async () => {
    demo ??= await startDemo()
    credentials.useDemo(demo.account)
    source = DEMO
  }
  const stopDemo = async () => {
    const old = demo
    demo = null
    await old?.close()
  }
  const useService = async (input: CredentialsInput) => {
    const fields = await credentials.save(input)
    await stopDemo()
    // Last: listeners that hear of the new source must find nothing of the old one in the hub.
    source = sourceOf(fields)
    return fields
  }

  return {
    get source() {
      return source
    },
    useDemo,
    useService,
    async begin({ account }, override) {
      const kind = override.source ?? account.source
      if (kind === 'demo') return useDemo()
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
      source = sourceOf(state)
    },
    close: stopDemo,
  }
}
