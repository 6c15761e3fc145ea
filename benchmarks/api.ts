/** The local API: ticks as JSON Lines over HTTP, beside a bare loop that writes as many of the same bytes. */
import { join } from 'node:path'
import { createStreamFile } from '../src/main/base/file-sink.ts'
import { openStoreReader } from '../src/main/core/store/open.ts'
import { startApiServer } from '../src/main/features/api/api-server.ts'
import { LiveSockets } from '../src/main/features/api/live-socket.ts'
import { runExport } from '../src/main/features/export/run.ts'
import { makeSession } from './replay.ts'
import { row, type Row } from './row.ts'
import { BARE_LOOP, besideBareLoop } from './served.ts'
import { inFolder } from './session.ts'

const READER_WORKER = new URL('../src/main/reader-worker.ts', import.meta.url)
/** Of five messages, three are quotes. */
const QUOTES = 'crypto/XQ'

/** Streams the quotes of a session of `count` messages. */
export async function benchApi(count = 2_000_000): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    const file = join(folder, 'tapedeck.db')
    makeSession(file, count, 1)
    const reader = await openStoreReader({ file, worker: READER_WORKER })
    const [{ feeds }] = await reader.sessions()
    const rows = feeds.find(({ feed }) => feed === QUOTES)?.stored ?? 0
    const nothing = (): never => {
      throw new Error('only ticks are asked for here')
    }
    const server = await startApiServer({
      port: 0,
      token: 'bench',
      live: new LiveSockets({ subscribe: nothing }, { after: nothing, monoNs: nothing }),
      monoMs: () => performance.now(),
      side: {
        reader,
        replays: { open: nothing, close: nothing, play: nothing, speed: nothing, seek: nothing, states: nothing },
        alerts: { list: nothing, save: nothing, remove: nothing, history: nothing },
        info: nothing,
        wallMs: () => Date.now(),
        async exportRows(request, write, signal) {
          await runExport(reader, request, '-', { stream: createStreamFile(write), signal })
        },
      },
    })
    try {
      const best = await besideBareLoop(`${server.baseUrl}/v1/ticks?feed=${QUOTES}`, 'bench')
      return [
        row({
          name: `ticks of the local API: ${(rows / 1e6).toFixed(1)} M rows as JSON Lines`,
          unit: 'M rows/s',
          ours: rows / best.ours / 1e6,
          peer: rows / best.theirs / 1e6,
          peerName: BARE_LOOP,
          goal: null,
        }),
      ]
    } finally {
      await server.close()
      await reader.close()
    }
  })
}
