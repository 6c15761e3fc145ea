/** Validates a request and builds its history key and its URL path. */
import { CodedError } from '../../../shared/base/errors.ts'
import { endpointOf, endpointPath, takesSymbol, type Endpoint } from '../../../service/endpoints.ts'
import type { ResponseKey, RestQuestion } from './port.ts'

const MAX_PARAMS = 32

/** The parameters sorted by name as a query string without the question mark. '' for none. */
export function paramsText(params: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return new URLSearchParams(sorted).toString()
}

/** Parses the output of `paramsText`. */
export const readParams = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(text))

/** Returns the endpoint, its path with query, and its response key. Throws `bad-arguments` or `not-found`. */
export function readQuestion(
  source: string,
  { endpoint: id, symbol, params }: RestQuestion,
): { readonly endpoint: Endpoint; readonly path: string; readonly key: ResponseKey } {
  const endpoint = endpointOf(id)
  if (endpoint === undefined) throw new CodedError('not-found', `No such endpoint: “${String(id).slice(0, 80)}”.`)
  const entries = Object.entries(params)
  if (entries.length > MAX_PARAMS || entries.some(([name]) => name === '')) {
    throw new CodedError('bad-arguments', `An endpoint takes at most ${MAX_PARAMS} named parameters.`)
  }
  const asked = takesSymbol(endpoint) ? symbol.trim() : ''
  const query = paramsText(params)
  let path: string
  try {
    path = endpointPath(endpoint, asked)
  } catch (cause) {
    throw new CodedError('bad-arguments', `${endpoint.title} needs a symbol.`, {
      hint: 'Enter one, such as AAPL.',
      cause,
    })
  }
  return {
    endpoint,
    path: query === '' ? path : `${path}?${query}`,
    key: { source, endpoint: endpoint.id, symbol: asked, params: query },
  }
}
