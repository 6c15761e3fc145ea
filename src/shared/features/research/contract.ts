/** Calls and the stream of research: the thirty-nine endpoints, their history and their budget. */
import * as v from 'valibot'
import type { Answer, AnswerVersion, CallBudget, EndpointInfo, ResearchAnswer } from './research.ts'
import { call, limit, none, text, view } from '../../rpc/contract.ts'

const endpoint = text(64)
const question = {
  endpoint,
  /** In the service's spelling; '' where the path takes none. */
  symbol: text(64),
  /** Query parameters: the document shows none, so they are the user's own. */
  params: v.pipe(
    v.record(text(64), text(512)),
    v.check((params) => Object.keys(params).length <= 32, 'at most 32 parameters'),
  ),
}

export const RESEARCH_CALLS = {
  /** Every endpoint, in the document's order. */
  'research.endpoints': call<readonly EndpointInfo[]>()(none),
  /**
   * `cached`: what is known, without a call; `fresh`: a call only if that is older than its time to
   * live; `force`: a call. In a replay always what was known at its instant. `ticket` names the call
   * for `research.cancel`.
   */
  'research.get': call<ResearchAnswer>()(
    v.strictObject({ view, ...question, mode: v.picklist(['cached', 'fresh', 'force']), ticket: text(64) }),
  ),
  /** The pane that asked is gone: its call ends unless another pane waits for the same. */
  'research.cancel': call<null>()(v.strictObject({ ticket: text(64) })),
  /** Newest first, at most 500; in a replay none after its instant. */
  'research.versions': call<readonly AnswerVersion[]>()(v.strictObject({ view, ...question })),
  /**
   * With which parameters an endpoint was asked about a symbol and answered well, the latest first, at
   * most 500: where the service gives one period a call, each period has parameters of its own.
   */
  'research.asked': call<readonly Readonly<Record<string, string>>[]>()(
    v.strictObject({ view, endpoint, symbol: question.symbol }),
  ),
  'research.version': call<Answer | null>()(v.strictObject({ version: limit(2 ** 31) })),
  /** Deletes the history of an endpoint (null: of all) of the source in use. */
  'research.clear': call<null>()(v.strictObject({ endpoint: v.nullable(endpoint) })),
} as const

export const RESEARCH_STREAMS = {
  /** The daily call budget and what is on its way. */
  research: call<CallBudget>()(none),
} as const
