/** The interfaces of the REST client and of the response store it needs. */
import type {
  ServiceResponse,
  ResponseVersion,
  CallBudget,
  ResearchResult,
} from '../../../shared/features/research/research.ts'
import type { UnixMs } from '../../../shared/base/units.ts'
import type { EndpointId } from '../../../service/endpoints.ts'

/** Identifies a request. Each key has its own history of responses. */
export interface ResponseKey {
  /** `sourceKey` of the service. */
  readonly source: string
  readonly endpoint: EndpointId
  /** The service's symbol; '' if the path takes none. */
  readonly symbol: string
  /** `paramsText` of the query. */
  readonly params: string
}

export interface NewResponse extends ResponseKey {
  readonly status: number
  readonly contentType: string
  readonly fetchedMs: UnixMs
  readonly text: string
}

/** The newest good response to an endpoint about a symbol, with whatever parameters. */
export interface LatestResponse {
  readonly id: number
  readonly endpoint: string
  readonly symbol: string
}

/** The history of responses. Every method may reject, for example if the file is closed or the disk full. */
export interface ResponseStore {
  /** The newest good response (status 2xx), fetched no later than `atMs` (UTC ms) if given. */
  newest(key: ResponseKey, atMs: number | null): Promise<ServiceResponse | null>
  /** Up to 500 responses, newest first, including errors, fetched no later than `atMs` (UTC ms) if given. */
  versions(key: ResponseKey, atMs: number | null): Promise<readonly ResponseVersion[]>
  /** Up to 500 good responses with whatever `params`, newest first, fetched no later than `atMs` (UTC ms) if given. */
  received(key: Omit<ResponseKey, 'params'>, atMs: number | null): Promise<readonly ResponseVersion[]>
  /** Up to 500 `params` that got a good response (no later than `atMs` if given), most recent first. */
  asked(key: Omit<ResponseKey, 'params'>, atMs: number | null): Promise<readonly string[]>
  /** The newest good response of each symbol to these endpoints, fetched no later than `atMs` (UTC ms) if given. */
  latest(source: string, endpoints: readonly EndpointId[], atMs: number | null): Promise<readonly LatestResponse[]>
  byId(id: number): Promise<ServiceResponse | null>
  /** Resolves with its id. */
  save(response: NewResponse): Promise<number>
  /** Deletes the source's history of an endpoint, or of every endpoint (null). */
  clear(source: string, endpoint: EndpointId | null): Promise<void>
}

export interface RestQuestion {
  readonly endpoint: EndpointId
  readonly symbol: string
  readonly params: Readonly<Record<string, string>>
}

/**
 * `cached`: use the saved response and make no request. `fresh`: make a request if the saved response is missing or
 * older than its group's time to live. `force`: always make a request.
 */
export type RestMode = 'cached' | 'fresh' | 'force'

export interface RestClient {
  /**
   * Gets the newest response. If the request fails, the result has `failure` and the saved response, if any. Rejects
   * only with `bad-arguments`, `not-found` (unknown endpoint) or `cancelled`.
   */
  get(question: RestQuestion, mode: RestMode, signal?: AbortSignal): Promise<ResearchResult>
  /** The newest response saved by `atMs` (UTC ms). Never makes a request. */
  asOf(question: RestQuestion, atMs: number): Promise<ResearchResult>
  versions(question: RestQuestion, atMs: number | null): Promise<readonly ResponseVersion[]>
  /** The good responses, whatever their parameters, newest first (no later than `atMs`, UTC ms, if given). */
  received(question: Omit<RestQuestion, 'params'>, atMs: number | null): Promise<readonly ResponseVersion[]>
  /** The parameters with which an endpoint returned a good response (no later than `atMs`, UTC ms, if given). */
  asked(question: Omit<RestQuestion, 'params'>, atMs: number | null): Promise<readonly RestQuestion['params'][]>
  /** The newest good response of each symbol to these endpoints, no later than `atMs` (UTC ms) if given. */
  latest(endpoints: readonly EndpointId[], atMs: number | null): Promise<readonly LatestResponse[]>
  version(id: number): Promise<ServiceResponse | null>
  clear(endpoint: EndpointId | null): Promise<void>
  budget(): CallBudget
  /** Cancels all requests. */
  close(): void
}
