/** `tapedeck login` and `tapedeck logout`: the account of `record`, `serve` and `fetch`, without a window. */
import { jsonLine } from '../../base/json-schema.ts'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import { typedOrigin } from '../../core/account/cli.ts'
import { createCredentials, type AccountFields, type Credentials } from '../../core/account/credentials.ts'
import { credentialsFile, type CredentialsFile } from '../../core/account/credentials-file.ts'
import { requestToken } from '../../core/account/token.ts'
import { createSettingsStore, settingsFile } from '../../core/settings/settings.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'

export const login = defineCommand({
  storeless: true,
  examples: [
    ['Asks for the password and the API key', '--base-url https://data.example.com --user me'],
    ['On a server without a keychain', '--base-url https://data.example.com --user me --credentials-file'],
    ['From a secret store: the password, then the API key', '--base-url https://data.example.com --user me < secrets'],
  ],
  options: {
    'credentials-file': {
      type: 'boolean',
      help: 'Save the secrets in a file of the data folder that only you can read, instead of the keychain',
    },
    'no-check': { type: 'boolean', help: 'Save the account without signing in first' },
  },
  async run(values, context) {
    const settings = createSettingsStore(settingsFile(context.dataDir))
    const saved = settings.get().account
    const baseUrl = typedOrigin(
      await given(
        context,
        values.text('base-url') ?? saved.baseUrl,
        'Service, such as https://data.example.com: ',
        '--base-url',
      ),
    )
    const user = await given(context, values.text('user') ?? saved.user, `User at ${baseUrl}: `, '--user')
    const file = credentialsFile(context.dataDir)
    const inFile = values.on('credentials-file') || file.exists()
    if (context.portable === true && !inFile)
      throw new UsageError('a folder of your own keeps no secrets in the keychain: add --credentials-file')
    const { password, apiKey } = await readSecrets(context, `${user} at ${baseUrl}`)
    const { plan, userField, passwordField } = saved
    const fields: AccountFields = { baseUrl, user, plan, userField, passwordField }
    if (!values.on('no-check')) await check(fields, password, context)
    if (inFile) file.create()
    const credentials = openCredentials(context, file)
    await needKeychain(credentials)
    await credentials.save({ ...fields, password, ...(apiKey === '' ? {} : { apiKey }) })
    settings.set({ account: { source: 'service', ...fields } })
    report(values, context, { fields, file: inFile ? file.path : null, hasKey: credentials.account().hasApiKey })
    return EXIT.ok
  },
})

export const logout = defineCommand({
  storeless: true,
  examples: [['Forget the account and its secrets', '']],
  options: {},
  async run(values, context) {
    const settings = createSettingsStore(settingsFile(context.dataDir))
    const { baseUrl, user, plan, userField, passwordField } = settings.get().account
    const hasAccount = baseUrl !== '' && user !== ''
    if (hasAccount) {
      const file = credentialsFile(context.dataDir)
      const credentials = openCredentials(context, file)
      await credentials.useSaved({ baseUrl, user, plan, userField, passwordField })
      await credentials.forget()
      file.removeIfEmpty()
      settings.set({ account: { source: 'demo', baseUrl: '', user: '', plan: '' } })
    }
    if (values.on('json')) context.out(jsonLine('logout', hasAccount ? { base_url: baseUrl, user } : {}))
    else context.out(hasAccount ? `Forgot ${user} at ${baseUrl}.\n` : 'No account is saved.\n')
    return EXIT.ok
  },
})

const openCredentials = ({ clock, portable }: Context, file: CredentialsFile): Credentials =>
  createCredentials({ clock, file, memoryOnly: portable === true && !file.exists() })

/** A setting, or what a person enters for it. */
async function given({ ask }: Context, known: string | undefined, question: string, option: string): Promise<string> {
  const text = known !== undefined && known !== '' ? known : ((await ask?.(question, false)) ?? '')
  if (text.trim() === '') throw new UsageError(`login needs ${option}`)
  return text.trim()
}

/** From the environment, a terminal or standard input: a line with the password, then perhaps one with the API key. */
async function readSecrets(
  { env, ask, input }: Context,
  who: string,
): Promise<{ readonly password: string; readonly apiKey: string }> {
  let [password = '', apiKey = ''] = [env.TAPEDECK_PASSWORD, env.TAPEDECK_API_KEY]
  if (ask !== undefined) {
    if (password === '') password = await ask(`Password of ${who}: `, true)
    if (apiKey === '') apiKey = await ask('API key of REST requests (Enter: none): ', true)
  } else if (password === '' && input !== undefined) {
    const chunks: Uint8Array[] = []
    for await (const chunk of input) chunks.push(chunk)
    const [first = '', second = ''] = Buffer.concat(chunks).toString('utf8').split(/\r?\n/)
    password = first
    if (apiKey === '') apiKey = second
  }
  if (password === '') {
    throw new UsageError(
      'login needs a password: enter it at a terminal, write it to standard input, or set TAPEDECK_PASSWORD',
    )
  }
  return { password, apiKey }
}

/** Rejects with what the service or the connection to it refuses. */
async function check(fields: AccountFields, password: string, { clock, signal }: Context): Promise<void> {
  const { baseUrl, user, userField, passwordField } = fields
  try {
    await requestToken({ baseUrl, user, password, userField, passwordField }, clock, signal)
  } catch (thrown) {
    const { code, message, hint = '' } = toFailure(thrown)
    if (code !== 'offline' && code !== 'timeout' && code !== 'tls') throw thrown
    const saveAnyway = '--no-check saves the account without signing in.'
    throw new CodedError(code, message, { hint: `${hint} ${saveAnyway}`.trim(), cause: thrown })
  }
}

/** Rejects where secrets would be forgotten at once. */
async function needKeychain(credentials: Credentials): Promise<void> {
  const chain = await credentials.keychain()
  if (chain.kind !== 'memory') return
  throw new CodedError('keychain', `There is no keychain here: ${chain.why ?? 'it was turned off'}.`, {
    hint: 'Add --credentials-file to save the secrets in a file that only you can read, or set TAPEDECK_PASSWORD for each command.',
  })
}

interface Saved {
  readonly fields: AccountFields
  /** Null: in the keychain. */
  readonly file: string | null
  readonly hasKey: boolean
}

function report(values: Values, context: Context, { fields: { baseUrl, user }, file, hasKey }: Saved): void {
  const checked = !values.on('no-check')
  if (values.on('json')) {
    context.out(jsonLine('login', { base_url: baseUrl, user, checked, api_key: hasKey, file }))
    return
  }
  const where = file === null ? 'the system keychain' : `${file}, which only you can read`
  context.out(
    `${checked ? 'Signed in' : 'Saved the account, unchecked,'} as ${user} at ${baseUrl}. The secrets are in ${where}.\n`,
  )
}
