/** Calls and the stream of research: the thirty-nine endpoints, the history of responses and the request budget. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import type { ServiceResponse, ResponseVersion, CallBudget, EndpointInfo, ResearchResult } from './research.ts'
import { call, limit, none, view } from '../../rpc/contract.ts'

const endpoint = text(64)
const question = {
  endpoint,
  /** As the service writes it; '' if the path takes none. */
  symbol: text(64),
  /** Query parameters set by the user, because the service documents none. */
  params: v.pipe(
    v.record(text(64), text(512)),
    v.check((params) => Object.keys(params).length <= 32, 'at most 32 parameters'),
  ),
}

export const RESEARCH_CALLS = {
  /** Every endpoint, in documented order. */
  'research.endpoints': call<readonly EndpointInfo[]>()(none),
  /**
   * `cached`: what is stored, without a request. `fresh`: a request only if that is older than its time to live.
   * `force`: always a request. A replay always returns what was known at its time. `ticket` identifies the request for
   * `research.cancel`.
   */
  'research.get': call<ResearchResult>()(
    v.strictObject({ view, ...question, mode: v.picklist(['cached', 'fresh', 'force']), ticket: text(64) }),
  ),
  /** The pane was closed: cancels its request unless another pane waits for the same one. */
  'research.cancel': call<null>()(v.strictObject({ ticket: text(64) })),
  /** Newest first, at most 500. In a replay, none after its time. */
  'research.versions': call<readonly ResponseVersion[]>()(v.strictObject({ view, ...question })),
  /**
   * The successful responses of an endpoint about a symbol, whatever their parameters, newest first, at most 500: the
   * service can return one period per request. In a replay, none after its time.
   */
  'research.received': call<readonly ResponseVersion[]>()(v.strictObject({ view, endpoint, symbol: question.symbol })),
  'research.version': call<ServiceResponse | null>()(v.strictObject({ version: limit(2 ** 31) })),
  /** Deletes the history of an endpoint (null: of all) of the current source. */
  'research.clear': call<null>()(v.strictObject({ endpoint: v.nullable(endpoint) })),
} as const

export const RESEARCH_STREAMS = {
  /** The daily request budget and the requests under way. */
  research: call<CallBudget>()(none),
} as const
