/** The research service: connects the REST client and its history to the calls and the stream of the contract. */
import { join } from 'node:path'
import type { CallArgs } from '../../../shared/contracts.ts'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import type {
  ServiceResponse,
  ResponseVersion,
  CallBudget,
  EndpointInfo,
  ResearchResult,
} from '../../../shared/features/research/research.ts'
import type { ResearchSettings } from '../../../shared/features/research/settings.ts'
import { ENDPOINTS, endpointOf, takesSymbol, type EndpointId } from '../../../service/endpoints.ts'
import type { Clock } from '../../base/clock.ts'
import { openResponses, type ResponseFile } from './responses.ts'
import { fileCount } from './count-file.ts'
import { createRestClient } from './client.ts'
import type { ResponseStore, LatestResponse, RestQuestion } from './port.ts'
import { wholeStreams, type WholeStreams } from '../../rpc/state-stream.ts'

export interface ResearchOptions {
  readonly clock: Clock
  readonly dataDir: string
  /** History file to use instead of `<dataDir>/research.db`. */
  readonly file?: string | undefined
  readonly settings: () => ResearchSettings
  readonly source: () => string
  readonly baseUrl: () => string
  readonly apiKey: () => Promise<string | null>
  readonly token: () => Promise<string>
  /** A replay's clock time, UTC ms. Null for the live view. Throws `not-found` for an unknown view. */
  readonly instantOf: (view: string) => number | null
  readonly problem: (text: string, detail?: string) => void
}

export interface Research {
  endpoints(): readonly EndpointInfo[]
  get(args: CallArgs<'research.get'>): Promise<ResearchResult>
  cancel(ticket: string): void
  versions(args: CallArgs<'research.versions'>): Promise<readonly ResponseVersion[]>
  received(args: CallArgs<'research.received'>): Promise<readonly ResponseVersion[]>
  asked(args: CallArgs<'research.received'>): Promise<readonly RestQuestion['params'][]>
  /** The newest good response of each symbol to these endpoints, as of a view's clock, without their texts. */
  latest(view: string, endpoints: readonly EndpointId[]): Promise<readonly LatestResponse[]>
  version(id: number): Promise<ServiceResponse | null>
  clear(endpoint: string | null): Promise<void>
  readonly streams: WholeStreams<CallBudget>
  close(): void
}

/** Opens the history when it is first needed. If that fails, reports a problem once and saves nothing. */
export function createResearch(options: ResearchOptions): Research {
  const { clock } = options
  let file: ResponseFile | null = null
  let opened = false
  const history = (): ResponseFile | null => {
    if (opened) return file
    opened = true
    try {
      file = openResponses(options.file ?? join(options.dataDir, 'research.db'))
    } catch (thrown) {
      const { message, hint = '' } = toFailure(thrown)
      options.problem(`Responses won’t be saved: ${message}`, hint)
    }
    return file
  }
  const store: ResponseStore = {
    newest: async (key, atMs) => (await history()?.newest(key, atMs)) ?? null,
    versions: async (key, atMs) => (await history()?.versions(key, atMs)) ?? [],
    received: async (key, atMs) => (await history()?.received(key, atMs)) ?? [],
    asked: async (key, atMs) => (await history()?.asked(key, atMs)) ?? [],
    latest: async (source, endpoints, atMs) => (await history()?.latest(source, endpoints, atMs)) ?? [],
    byId: async (id) => (await history()?.byId(id)) ?? null,
    save: async (response) => (await history()?.save(response)) ?? 0,
    clear: async (source, endpoint) => history()?.clear(source, endpoint),
  }
  const streams = wholeStreams(() => client.budget())
  const client = createRestClient({
    clock,
    store,
    source: options.source,
    baseUrl: options.baseUrl,
    auth: () => options.settings().auth,
    secret: () => (options.settings().auth === 'token' ? options.token() : options.apiKey()),
    dailyCalls: () => options.settings().dailyCalls,
    count: fileCount(join(options.dataDir, 'calls.json')),
    chance: Math.random,
    changed: () => streams.changed(),
    notSaved: (thrown) => options.problem('Couldn’t save a response.', toFailure(thrown).message),
  })
  const tickets = new Map<string, AbortController>()
  const question = ({ endpoint, symbol, params }: CallArgs<'research.versions'>): RestQuestion => ({
    endpoint: known(endpoint),
    symbol,
    params,
  })

  return {
    endpoints: () =>
      ENDPOINTS.map((endpoint) => {
        const { id, group, path, title, availability } = endpoint
        return { id, group, path, title, availability, takesSymbol: takesSymbol(endpoint) }
      }),
    async get(args) {
      const atMs = options.instantOf(args.view)
      if (atMs !== null) return client.asOf(question(args), atMs)
      const stop = new AbortController()
      tickets.get(args.ticket)?.abort()
      tickets.set(args.ticket, stop)
      try {
        return await client.get(question(args), args.mode, stop.signal)
      } finally {
        if (tickets.get(args.ticket) === stop) tickets.delete(args.ticket)
      }
    },
    cancel: (ticket) => tickets.get(ticket)?.abort(),
    versions: async (args) => client.versions(question(args), options.instantOf(args.view)),
    received: async ({ view, endpoint, symbol }) =>
      client.received({ endpoint: known(endpoint), symbol }, options.instantOf(view)),
    asked: async ({ view, endpoint, symbol }) =>
      client.asked({ endpoint: known(endpoint), symbol }, options.instantOf(view)),
    latest: async (view, endpoints) => client.latest(endpoints, options.instantOf(view)),
    version: (id) => client.version(id),
    clear: (endpoint) => client.clear(endpoint === null ? null : known(endpoint)),
    streams,
    close() {
      client.close()
      file?.close()
      file = null
    },
  }
}

function known(text: string): EndpointId {
  const endpoint = endpointOf(text)
  if (endpoint === undefined) throw new CodedError('not-found', `No such endpoint: “${text}”.`)
  return endpoint.id
}
