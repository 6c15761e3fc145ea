/** `tapedeck fetch`: makes one REST request, using the same history and budget as the window. */
import { jsonLine } from '../../base/json-schema.ts'
import { join, dirname } from 'node:path'
import { CodedError } from '../../../shared/base/errors.ts'
import { closest } from '../../../shared/base/closest.ts'
import { sourceKey } from '../../../shared/core/recording/session.ts'
import type { ServiceResponse } from '../../../shared/features/research/research.ts'
import { endpointOf, ENDPOINTS, matchEndpoint, takesSymbol } from '../../../service/endpoints.ts'
import { createCredentials } from '../../core/account/credentials.ts'
import { credentialsFile } from '../../core/account/credentials-file.ts'
import { serviceOrigin } from '../../base/service-address.ts'
import { researchSettings } from '../../../shared/features/research/settings.ts'
import { createSettingsStore, settingsFile } from '../../core/settings/settings.ts'
import { startDemoMarket } from '../../core/account/demo-market.ts'
import { isJson } from './classify.ts'
import { createResearch } from './research.ts'
import { createSourceControl } from '../../core/account/source.ts'
import { aligned } from '../../command-line/aligned.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { requireAccount } from '../../core/account/cli.ts'
import { EXIT } from '../../command-line/exit.ts'
import { storePath } from '../../core/store/store-path.ts'

export const fetchCommand = defineCommand({
  examples: [
    ['Income statements of a company', '/fundamentals/AAPL/income-statement'],
    ['The last response again, without a request, by endpoint name', 'income-statement --symbol AAPL --cached'],
    ['The endpoints with their names', '--list'],
  ],
  positionals: 'ENDPOINT',
  options: {
    symbol: { type: 'string', value: 'S', help: 'The symbol, if ENDPOINT is a name or has {symbol} in its path' },
    param: { type: 'string', multiple: true, value: 'K=V', help: 'A query parameter; repeatable' },
    cached: { type: 'boolean', help: 'Print the last saved response, without a request' },
    list: { type: 'boolean', help: 'List the endpoints and their names, without a request' },
    demo: { type: 'boolean', help: 'Use the demo market (otherwise an account is required)' },
  },
  async run(values, context) {
    if (values.on('list')) return listEndpoints(values, context)
    const { endpoint, symbol, params } = readQuestion(values)
    const settings = createSettingsStore(settingsFile(context.dataDir), [researchSettings])
    const { account, research: settled } = settings.get()
    const chosen = requireAccount(values, context)
    const file = credentialsFile(context.dataDir)
    const isPortable = context.portable === true && !file.exists()
    const credentials = createCredentials({
      clock: context.clock,
      file,
      memoryOnly: isPortable || chosen.account?.password !== undefined || chosen.account?.apiKey !== undefined,
    })
    const source = createSourceControl({
      credentials,
      startDemo: () =>
        startDemoMarket({
          worker: context.workers.simulator,
          dataDir: context.demoData,
          seed: undefined,
          clock: context.clock,
          log: (text) => context.err(`${text}\n`),
        }),
    })
    // The endpoints take the API key, so no sign-in is needed unless the settings require the token.
    const key = chosen.account?.apiKey
    const base = chosen.account?.baseUrl ?? account.baseUrl
    const keyOnly = key !== undefined && base !== '' && settled.auth === 'api-key'
    if (chosen.source === 'service' && key === undefined && (chosen.account?.user ?? account.user) === '') {
      throw new UsageError(
        'fetch needs an API key: set TAPEDECK_API_KEY, or name the account it is saved for with --user',
      )
    }
    const origin = keyOnly ? serviceOrigin(base).origin : ''
    if (!keyOnly) await source.begin(settings.get(), chosen)
    const user = chosen.account?.user ?? account.user
    const research = createResearch({
      clock: context.clock,
      dataDir: context.dataDir,
      file: values.text('store') === undefined ? undefined : join(dirname(storePath(values, context)), 'research.db'),
      settings: () => settings.get().research,
      source: () => sourceKey(keyOnly ? { kind: 'service', origin, user } : source.source),
      baseUrl: () => (keyOnly ? origin : credentials.baseUrl()),
      apiKey: () => (keyOnly ? Promise.resolve(key) : credentials.apiKey()),
      token: async () => (await credentials.tokenSource.get()).access,
      instantOf: () => null,
      problem: (text, detail) => context.err(`${text}${detail ? ` ${detail}` : ''}\n`),
    })
    const ticket = 'fetch'
    const cancel = () => research.cancel(ticket)
    context.signal.addEventListener('abort', cancel)
    try {
      const mode = values.on('cached') ? 'cached' : 'force'
      const { response, failure } = await research.get({ view: 'live', endpoint, symbol, params, mode, ticket })
      if (failure !== null) {
        const known = response === null ? '' : ' An earlier response is saved: --cached prints it.'
        throw new CodedError(failure.code, failure.message, { hint: `${failure.hint ?? ''}${known}` })
      }
      if (response === null) {
        throw new CodedError('not-found', 'No response to this request is saved.', { hint: 'Run it without --cached.' })
      }
      context.out(values.on('json') ? `${jsonOf(response)}\n` : plain(response))
      return EXIT.ok
    } finally {
      context.signal.removeEventListener('abort', cancel)
      research.close()
      await source.close()
    }
  },
})

function listEndpoints(values: Values, context: Context): number {
  if (values.texts('').length > 0) throw new UsageError('--list takes no ENDPOINT')
  if (values.on('json')) {
    for (const { id, path, title } of ENDPOINTS) {
      context.out(jsonLine('endpoint', { endpoint: id, path, title }))
    }
  } else
    context.out(
      aligned([['endpoint', 'path', 'title'], ...ENDPOINTS.map(({ id, path, title }) => [id, path, title])], []),
    )
  return EXIT.ok
}

function readQuestion(values: Values): { endpoint: string; symbol: string; params: Record<string, string> } {
  const [asked, ...more] = values.texts('')
  if (asked === undefined || more.length > 0) throw new UsageError('name one ENDPOINT, such as "/news"')
  const typed = endpointOf(asked) === undefined ? matchEndpoint(asked) : undefined
  const endpoint = endpointOf(asked) ?? typed?.endpoint
  if (endpoint === undefined) throw unknownEndpoint(asked)
  const symbol = values.text('symbol') ?? typed?.symbol ?? ''
  if (typed?.symbol !== undefined && symbol !== typed.symbol) {
    throw new UsageError(`the path has ${typed.symbol}, but --symbol is ${symbol}; leave one of them out`)
  }
  if (takesSymbol(endpoint) && symbol === '') throw new UsageError(`${endpoint.path} requires --symbol`)
  if (!takesSymbol(endpoint) && symbol !== '') throw new UsageError(`${endpoint.path} takes no --symbol`)
  const params: Record<string, string> = {}
  for (const text of values.texts('param')) {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`--param takes K=V, not "${text}"`)
    Object.defineProperty(params, text.slice(0, at), {
      value: text.slice(at + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return { endpoint: endpoint.id, symbol, params }
}

function unknownEndpoint(asked: string): UsageError {
  const near = closest(
    asked,
    ENDPOINTS.flatMap(({ id, path }) => [id, path]),
  )
  const next = near === undefined ? '"tapedeck fetch --list" lists them' : `did you mean ${near}?`
  return new UsageError(`"${asked}" isn’t a documented endpoint; ${next}`)
}

/** The service's JSON on one line, with its numbers unchanged. Anything else becomes an object with the text. */
function jsonOf(response: ServiceResponse): string {
  if (!isJson(response.text)) return JSON.stringify({ content_type: response.contentType, text: response.text })
  // JSON strings can't contain line breaks, so joining the lines changes no value.
  return response.text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .join('')
}

const plain = ({ text }: ServiceResponse): string => (text.endsWith('\n') ? text : `${text}\n`)
