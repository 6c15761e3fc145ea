/** The account of a command: the stored one, or one named by options with its secrets from the environment. */
import type { TerminalOptions } from '../terminal/port.ts'
import { UsageError, type Context, type Values } from './command.ts'

/** What of the terminal's options the account options of a command line decide. */
export function accountOptions(
  values: Values,
  { env }: Pick<Context, 'env'>,
): Pick<TerminalOptions, 'source' | 'account'> {
  const baseUrl = values.text('base-url')
  const user = values.text('user')
  if (values.on('demo')) {
    if (baseUrl !== undefined || user !== undefined) {
      throw new UsageError('--demo is the demo market: it takes no --base-url and no --user')
    }
    return { source: 'demo' }
  }
  const password = env.TAPEDECK_PASSWORD
  const apiKey = env.TAPEDECK_API_KEY
  if (baseUrl === undefined && user === undefined && password === undefined && apiKey === undefined) return {}
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
