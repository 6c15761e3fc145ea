// The window from its sources, in front of a browser host: Vite's development server with hot reload, which passes the
// window's WebSocket on to the host. Needs the pinned Node, because it reads the host's own rules as TypeScript.
import { join } from 'node:path'
import { createServer } from 'vite'
import config from '../../electron.vite.config.ts'
import { findPageRefusal, findUpgradeRefusal } from '../../src/main/hosts/browser/guard.ts'
import { contentSecurityPolicy } from '../../src/main/hosts/window-files.ts'
import { SOCKET_PATH } from '../../src/shared/rpc/handshake.ts'
import { root } from './ensure.mjs'

/** The policy of the built window, less what Vite's client does: it adds style elements and writes its error overlay. */
const policy = contentSecurityPolicy("'self'")
  .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
  .replace(/; require-trusted-types-for.*$/, '')

/** The guard of the browser host for the address of this server, so that the host only ever sees what passed it. */
function guard(server) {
  const host = () => `127.0.0.1:${server.httpServer.address().port}`
  return {
    page: ({ method, headers }) => findPageRefusal(method, headers, host()),
    upgrade: ({ method, url, headers }) => findUpgradeRefusal(method, url, headers, host()),
  }
}

/**
 * Serves the window on 127.0.0.1 in front of the browser host at `hostUrl` (any of its addresses). `port`: 0 for any
 * free one. The host's one-time tokens and secrets hold unchanged: the first message of each socket still shows one.
 */
export async function startDevServer({ hostUrl, port = 0, logLevel = 'warn' }) {
  let rules
  const server = await createServer({
    configFile: false,
    css: config.renderer.css,
    root: join(root, 'src', 'renderer'),
    cacheDir: join(root, 'node_modules', '.cache', 'vite'),
    logLevel,
    clearScreen: false,
    plugins: [
      ...config.renderer.plugins,
      {
        name: 'guard',
        configureServer({ middlewares }) {
          middlewares.use((request, response, next) => {
            const refusal = rules.page(request)
            if (!refusal) return next()
            response.writeHead(refusal.status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
            response.end(`${refusal.text}\n`)
          })
        },
      },
    ],
    server: {
      host: '127.0.0.1',
      port,
      cors: false,
      headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY' },
      proxy: {
        [`^${SOCKET_PATH}$`]: {
          target: new URL(hostUrl).origin,
          ws: true,
          changeOrigin: true,
          // The host accepts only its own origin, so the guard has to ask for ours first.
          rewriteWsOrigin: true,
          bypass: (request) => (rules.upgrade(request) ? false : undefined),
        },
      },
    },
  })
  rules = guard(server)
  await server.listen()
  const { port: actual } = server.httpServer.address()
  return {
    port: actual,
    /** An address of the host, as an address of this server. */
    addressOf: (url) => Object.assign(new URL(url), { port: String(actual) }).href,
    close: () => server.close(),
  }
}
