/** The command line options of the window. */
import { parseArgs } from 'node:util'
import { HOME_OPTIONS } from '../../core/settings/portable.ts'
import type { HostOptions } from '../../terminal/host.ts'
import { accountOptions } from '../../core/account/cli.ts'
import type { Context, Values } from '../../command-line/command.ts'

/** Every option that the window takes. */
export const WINDOW_OPTIONS: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>> = {
  store: { type: 'string' },
  'base-url': { type: 'string' },
  user: { type: 'string' },
  demo: { type: 'boolean' },
  'safe-mode': { type: 'boolean' },
  'no-sample': { type: 'boolean' },
  ...HOME_OPTIONS,
}

/**
 * Reads the options above; secrets come from the environment. Files, links and switches of the engine may stand between
 * them and are left to whom they are for. Throws UsageError.
 */
export function windowOptions(
  words: readonly string[],
  env: Context['env'],
): Pick<HostOptions, 'source' | 'account' | 'storeFile' | 'safe' | 'sample'> {
  const { values } = parseArgs({
    args: [...words],
    strict: false,
    allowPositionals: true,
    options: WINDOW_OPTIONS,
  })
  const text = (name: string) => {
    const value = values[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const read: Values = { text, texts: () => [], on: (name) => values[name] === true }
  const storeFile = text('store')
  return {
    ...(storeFile === undefined ? {} : { storeFile }),
    ...(values['safe-mode'] === true ? { safe: true } : {}),
    ...(values['no-sample'] === true ? { sample: false } : {}),
    ...accountOptions(read, { env }),
  }
}
