/** What the REST client needs of the program, and what it gives. */
import type { Answer, AnswerVersion, CallBudget, ResearchAnswer } from '../../../shared/features/research/research.ts'
import type { UnixMs } from '../../../shared/base/units.ts'
import type { EndpointId } from '../../../service/endpoints.ts'

/** Which answer is meant: one history a key. */
export interface AnswerKey {
  /** `sourceKey` of the service that is asked. */
  readonly source: string
  readonly endpoint: EndpointId
  /** The service's symbol; '' if the path takes none. */
  readonly symbol: string
  /** `paramsText` of the query. */
  readonly params: string
}

/** An answer that is to be kept. */
export interface NewAnswer extends AnswerKey {
  readonly status: number
  readonly contentType: string
  readonly fetchedMs: UnixMs
  readonly text: string
}

/** The history of answers. Every method may reject: the store may be closed or full. */
export interface AnswerStore {
  /** The newest good answer (status 2xx), fetched no later than `atMs` where one is given. */
  newest(key: AnswerKey, atMs: number | null): Promise<Answer | null>
  /** Newest first, at most 500, with what failed; none fetched after `atMs` where one is given. */
  versions(key: AnswerKey, atMs: number | null): Promise<readonly AnswerVersion[]>
  /** `params` of the keys with a good answer (no later than `atMs`), the latest asked first, at most 500. */
  asked(key: Omit<AnswerKey, 'params'>, atMs: number | null): Promise<readonly string[]>
  byId(id: number): Promise<Answer | null>
  /** Answers its id. */
  save(answer: NewAnswer): Promise<number>
  /** Deletes the history of an endpoint of a source; null: of every endpoint. */
  clear(source: string, endpoint: EndpointId | null): Promise<void>
}

export interface RestQuestion {
  readonly endpoint: EndpointId
  readonly symbol: string
  readonly params: Readonly<Record<string, string>>
}

/**
 * `cached`: what is known, without a call. `fresh`: a call only if what is known is older than its
 * group's time to live. `force`: a call in any case.
 */
export type RestMode = 'cached' | 'fresh' | 'force'

export interface RestClient {
  /**
   * The newest answer that may be seen. A call that fails is told in `failure` beside what was known;
   * rejects only with `bad-arguments` and `cancelled`.
   */
  get(question: RestQuestion, mode: RestMode, signal?: AbortSignal): Promise<ResearchAnswer>
  /** The answer as it was known at `atMs` (UTC ms); never a call. */
  asOf(question: RestQuestion, atMs: number): Promise<ResearchAnswer>
  versions(question: RestQuestion, atMs: number | null): Promise<readonly AnswerVersion[]>
  /** With which parameters an endpoint was asked and answered well (no later than `atMs`). */
  asked(question: Omit<RestQuestion, 'params'>, atMs: number | null): Promise<readonly RestQuestion['params'][]>
  version(id: number): Promise<Answer | null>
  clear(endpoint: EndpointId | null): Promise<void>
  budget(): CallBudget
  /** Cancels what runs. */
  close(): void
}
