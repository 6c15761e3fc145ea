/** Serves metrics for Prometheus and the health of a process over HTTP: `--metrics [HOST:]PORT`. */
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from '../../../server/node-http.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { isLoopbackHost } from '../../base/service-address.ts'
import { UsageError, type Option, type Values } from '../command.ts'

export const METRICS_OPTION: Option = {
  type: 'string',
  value: '[HOST:]PORT',
  help: 'Serve metrics for Prometheus at http://HOST:PORT/metrics and the health at /healthz (default host: 127.0.0.1)',
}

/** What is served. */
export interface Monitored {
  metrics(): string
  /** The body of /healthz; `ok` decides between 200 and 503. */
  health(): { readonly ok: boolean }
}

export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

/** Reads `--metrics`: undefined if it isn't given. Throws UsageError. Other hosts than loopback must be named. */
export function readMetricsAddress(values: Values): MetricsAddress | undefined {
  const text = values.text('metrics')
  if (text === undefined) return undefined
  const match = /^(?:([^\s:/@]+|\[[\da-f:.]+\]):)?(\d{1,5})$/i.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) {
    throw new UsageError(`--metrics takes a port or HOST:PORT, such as 9464 or 127.0.0.1:9464, not "${text}"`)
  }
  return { host: (match[1] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port }
}

export interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}

/** Whether the request names this machine: a web page that rebinds its name to loopback doesn't. */
function isForThisMachine({ headers: { host = '' } }: IncomingMessage): boolean {
  const url = URL.parse(`http://${host}`)
  return url !== null && isLoopbackHost(url.hostname)
}

/** Listens until closed. Rejects with a CodedError where it can't. */
export async function serveMetrics({ host, port }: MetricsAddress, monitored: Monitored): Promise<MetricsServer> {
  const isLocal = isLoopbackHost(host.includes(':') ? `[${host}]` : host)
  const server = createServer((request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, {
        'content-type': type,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
      response.end(request.method === 'HEAD' ? '' : text)
    }
    if (isLocal && !isForThisMachine(request)) return answer(421, 'Wrong host.\n')
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, 'Method not allowed: use GET.\n')
    switch (request.url?.split('?')[0]) {
      case '/metrics':
        return answer(200, monitored.metrics(), 'text/plain; version=0.0.4; charset=utf-8')
      case '/healthz': {
        const health = monitored.health()
        return answer(health.ok ? 200 : 503, `${JSON.stringify(health)}\n`, 'application/json')
      }
      default:
        return answer(404, 'The metrics are at /metrics, the health at /healthz.\n')
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  }).catch((cause: unknown) => {
    throw new CodedError('busy', `Couldn’t serve metrics at ${host}:${port}.`, {
      hint: 'Another program may use this port, or the host isn’t one of this machine. Choose another with --metrics.',
      cause,
    })
  })
  const { port: actual } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Serves metrics while `run` runs, if an address is given, and says where. */
export async function withMetrics<T>(
  address: MetricsAddress | undefined,
  monitored: Monitored,
  say: (text: string) => void,
  run: () => Promise<T>,
): Promise<T> {
  if (address === undefined) return run()
  const server = await serveMetrics(address, monitored)
  say(`Metrics: ${server.url}\n`)
  try {
    return await run()
  } finally {
    await server.close()
  }
}
