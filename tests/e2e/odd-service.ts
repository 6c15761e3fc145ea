/**
 * A service that answers the documented paths in shapes of its own: other envelopes, other names,
 * strings for numbers, nulls, pairs, CSV, markup in texts, and errors when it is told to. What a
 * window shows of it must still be true, and nothing of it may run.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ENDPOINTS, type Endpoint } from '../../src/service/endpoints.ts'

export type OddFault = 'html' | 'truncated' | 'limited' | 'unauthorized' | 'soon' | 'broken'

export interface OddService {
  readonly baseUrl: string
  readonly apiKey: string
  /** Calls of endpoints, in their order. */
  readonly calls: readonly string[]
  /** Answers so from now on; null: well. */
  fail(fault: OddFault | null): void
  close(): Promise<void>
}

const KEY = 'odd-key'
/** Would set `window.ran` or leave the page, if anything ran it. */
export const HOSTILE = '<script>window.ran=1</script><img src=x onerror="window.ran=1"><b>bold</b>'
const HOSTILE_LINK = 'javascript:window.ran=1'

/** What stands in the answer of an endpoint and nowhere else. */
export const markOf = (id: string): string => `odd ${id.replaceAll('-', ' ')}`

const SHAPES: readonly ((mark: string) => { readonly type: string; readonly text: string })[] = [
  (mark) =>
    json([
      ['when', 'what', 'how much'],
      ['2026-01-02', mark, '1,234.50'],
      ['2026-01-03', HOSTILE, null],
    ]),
  (mark) =>
    json({
      ok: 1,
      result: { payload: { items: [{ What: mark, AmountUSD: '12.5%', link: HOSTILE_LINK }, { What: null }] } },
    }),
  (mark) => json({ '2026-01-02': { what: mark, n: '1' }, '2026-01-03': { what: HOSTILE, n: '2' } }),
  (mark) => ({
    type: 'text/csv; charset=utf-8',
    text: `day;what;n\r\n2026-01-02;"${mark}";1,5\r\n2026-01-03;"a ""b""";\r\n`,
  }),
  (mark) => json({ t: [1767312000, 1767398400], what: [mark, HOSTILE], c: ['1.10', null] }),
  (mark) => json({ code: 200, body: { note: mark, empty: null, deep: { deeper: { value: '7', text: HOSTILE } } } }),
  (mark) =>
    json([
      { what: mark, nested: { a: [1, 2], b: {} } },
      { what: HOSTILE, other: true },
    ]),
  (mark) =>
    json({ 'Meta Data': { '1. Information': mark }, 'Time Series': { '2026-01-02': '1.0', '2026-01-03': '2.0' } }),
]
const json = (value: unknown) => ({ type: 'application/json', text: JSON.stringify(value) })

const endpointFor = (path: string): Endpoint | undefined =>
  ENDPOINTS.find((one) => {
    const pattern = one.path.replace('{symbol}', '[^/]+').replace(/\/?$/, '/?')
    return new RegExp(`^${pattern}$`).test(path)
  })

/** Starts on 127.0.0.1 at a free port. */
export async function startOddService(): Promise<OddService> {
  const calls: string[] = []
  let fault: OddFault | null = null
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const send = (status: number, type: string, text: string, more: Record<string, string> = {}) => {
      response.writeHead(status, { 'Content-Type': type, ...more }).end(text)
    }
    const path = new URL(request.url ?? '/', 'http://odd').pathname
    if (path === '/api/token/') return send(200, 'application/json', '{"access":"odd-token"}')
    // A path without a symbol goes before one that would take its last part for a symbol.
    const endpoint = ENDPOINTS.find((one) => one.path === path) ?? endpointFor(path)
    if (endpoint === undefined) return send(404, 'text/plain', 'no such thing')
    calls.push(endpoint.id)
    if (fault === 'unauthorized' || request.headers.authorization !== `Bearer ${KEY}`) {
      return send(401, 'application/json', '{"error":{"detail":"who are you?"}}')
    }
    switch (fault) {
      case 'html':
        return send(200, 'text/html', `<!doctype html><title>Sign in</title>${HOSTILE}`)
      case 'truncated':
        return send(200, 'application/json', '{"data":{"revenue":12')
      case 'limited':
        return send(429, 'application/json', '{"message":"slow down"}', { 'Retry-After': '3600' })
      case 'soon':
        return send(404, 'application/json', '{"message":"coming soon"}')
      case 'broken':
        return send(500, 'text/html', `<h1>Oops</h1>${HOSTILE}`)
      case null: {
        if (endpoint.id === 'news') return send(200, 'application/json', longNews())
        const shape = SHAPES[ENDPOINTS.indexOf(endpoint) % SHAPES.length](markOf(endpoint.id))
        return send(200, shape.type, shape.text)
      }
    }
  }
  const server = createServer(answer)
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Listening on an address of the network.
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: KEY,
    calls,
    fail: (next) => (fault = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** About 10 MB in 100,000 stories, the first of them hostile. */
function longNews(): string {
  const rows = Array.from({ length: 100_000 }, (_, i) => ({
    subject: i === 0 ? `${markOf('news')} ${HOSTILE}` : `Story ${i} of a very long feed`,
    href: i === 0 ? HOSTILE_LINK : `https://news.invalid/${i}`,
    stamp: 1_767_312_000 - i,
    polarity: '0.1',
  }))
  return JSON.stringify({ feed: { rows } })
}
