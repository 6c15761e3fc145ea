/** The account of a command: the stored one, or one given by options, with its secrets in the environment. */
import { CodedError } from '../../../shared/base/errors.ts'
import { serviceOrigin } from '../../base/service-address.ts'
import { createSettingsStore, settingsFile } from '../settings/settings.ts'
import type { HostOptions } from '../../terminal/host.ts'
import { UsageError, type Context, type Values } from '../../command-line/command.ts'

/** The part of the terminal's options that the account options of a command line set. */
export type AccountOptions = Pick<HostOptions, 'source' | 'account'>

/** The origin of an address that somebody typed. Throws `usage` if it isn't one that secrets may be sent to. */
export function typedOrigin(baseUrl: string): string {
  try {
    return serviceOrigin(baseUrl).origin
  } catch (cause) {
    const { message, hint } = cause instanceof CodedError ? cause : new CodedError('bad-url', String(cause))
    throw new CodedError('usage', message, { hint, cause })
  }
}

/** The given account options; `{}` if neither options nor environment name an account. Throws UsageError. */
export function accountOptions(values: Values, { env }: Pick<Context, 'env'>): AccountOptions {
  const baseUrl = values.text('base-url')
  const user = values.text('user')
  if (values.on('demo')) {
    if (baseUrl !== undefined || user !== undefined) {
      throw new UsageError('--demo can’t be combined with --base-url or --user')
    }
    return { source: 'demo' }
  }
  const password = env.TAPEDECK_PASSWORD
  const apiKey = env.TAPEDECK_API_KEY
  if (baseUrl === undefined && user === undefined && !password && !apiKey) return {}
  return {
    source: 'service',
    account: {
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(user === undefined ? {} : { user }),
      ...(password ? { password } : {}),
      ...(apiKey ? { apiKey } : {}),
    },
  }
}

/**
 * `accountOptions` for commands that store or print market data: the demo market is used only with `--demo`. Throws
 * UsageError if neither options, environment nor the settings name an account, and `usage` for an address that secrets
 * can't be sent to.
 */
export function requireAccount(values: Values, context: Pick<Context, 'env' | 'dataDir'>): AccountOptions {
  const given = accountOptions(values, context)
  const baseUrl = given.account?.baseUrl
  if (baseUrl !== undefined) typedOrigin(baseUrl)
  if (given.source !== undefined) return given
  if (createSettingsStore(settingsFile(context.dataDir)).get().account.source === 'service')
    return { source: 'service' }
  throw new UsageError(
    'no account is set up. Add --demo for the demo market, or name your service with --base-url and --user ' +
      '(password in TAPEDECK_PASSWORD, API key in TAPEDECK_API_KEY), or save an account with tapedeck login',
  )
}
