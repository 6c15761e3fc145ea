// `npm run dev:browser`, under the pinned Node: the terminal from its sources as `tapedeck serve`, and Vite in front.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startDevServer } from './lib/dev-server.mjs'
import { root } from './lib/ensure.mjs'

const PORT = 5173

// The host lists the built window when it starts. Here nobody asks it for a page, and a fresh clone has no build.
mkdirSync(join(root, 'out', 'renderer'), { recursive: true })
const host = spawn(
  process.execPath,
  [join(root, 'src', 'main', 'cli.ts'), 'serve', '--json', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: ['inherit', 'pipe', 'inherit'],
  },
)
// Ctrl+C reaches the host through the terminal; this process waits for its clean end.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => host.kill(signal))
const ended = new Promise((resolve, reject) => {
  host.on('error', reject)
  host.on('exit', (code) => resolve(code ?? 1))
})

let server
for await (const line of createInterface({ input: host.stdout })) {
  const isFirst = server === undefined
  const { url } = JSON.parse(line)
  try {
    server ??= await startDevServer({ hostUrl: url, port: PORT })
  } catch (error) {
    console.error(`The development server did not start: ${error.message}`)
    host.kill('SIGTERM')
    break
  }
  console.log(server.addressOf(url))
  if (isFirst) {
    console.log(
      'Open this address in a browser on this computer. It works once. Press Enter for another, Ctrl+C to stop.',
    )
    console.log('Changes in src/renderer show at once. For changes in the terminal, start again.')
  }
}
process.exitCode = await ended
await server?.close()
