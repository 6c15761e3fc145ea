// `npm run catalog`: prints every English text of the window as a translation to fill in, `{ tag, messages }`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, pinnedNode } from './lib/ensure.mjs'

if (Number(process.versions.node.split('.')[0]) < 24) {
  // The app's tables are TypeScript, which the pinned Node runs as it stands.
  await ensureInstalled()
  process.exitCode = spawnSync(pinnedNode(), [fileURLToPath(import.meta.url)], { stdio: 'inherit' }).status ?? 1
} else {
  const { allTexts } = await import('./lib/texts.mjs')
  const messages = allTexts().map((message) => [typeof message === 'string' ? message : message.other, message])
  process.stdout.write(`${JSON.stringify({ tag: 'en', messages: Object.fromEntries(messages) }, null, 2)}\n`)
}
