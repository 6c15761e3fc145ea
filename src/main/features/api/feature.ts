/** The local API, which a host starts on request: recorded and live data, replays and alerts for other programs. */
import { alerts } from '../alerts/feature.ts'
import { exporting } from '../export/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { store } from '../../core/store/feature.ts'
import { replay } from '../replay/feature.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { readToken, writeApiFile } from './api-file.ts'
import type { ApiServer } from './api-server.ts'
import { LiveSockets } from './live-socket.ts'

export interface ApiService {
  /** Starts the server and writes `api.json`. Rejects with `not-allowed` if the port is taken. */
  start(port: number): Promise<ApiServer>
}

export const api = defineFeature({
  name: 'api',
  needs: { store, live, replay, alerts, exporting },
  start({ store: { reader }, live, replay, alerts, exporting }, { clock, dataDir, version }) {
    let server: ApiServer | null = null
    const service: ApiService = {
      async start(port) {
        const { startApiServer } = await import('./api-server.ts')
        const sockets = new LiveSockets(live.feeds, clock)
        live.onRecords(sockets.sink)
        const token = readToken(dataDir)
        server = await startApiServer({
          port,
          token,
          live: sockets,
          monoMs: () => clock.monoNs() / 1e6,
          side: {
            reader,
            replays: replay,
            alerts,
            wallMs: () => clock.wallMs(),
            info() {
              const { source, recorder } = live.status.read()
              return { version, source, recording: recorder.is === 'recording' }
            },
            exportRows: (request, write, signal) => exporting.stream(request, write, signal),
          },
        })
        writeApiFile(dataDir, server.baseUrl, token)
        return server
      },
    }
    return { service, stop: async () => server?.close() }
  },
})
